import { CairnError, countBytes, countChars } from '../../kernel/index.ts';
import { checkQualityGates, type ErrorFixRecord, parseErrorFix, parseLabelledParts } from '../../protocol/index.ts';
import { cleanText, countWords, pickSignature, redactSecrets } from '../../text/index.ts';
import { type Draft, draftOfContent, draftOfErrorFix, draftOfParts, type LearningParts } from '../draft.ts';
import type { Gates, Redaction, RememberRequest } from './request.ts';

/** A request as it may touch the disk: cleaned, within bounds, without secrets, in drafts ready to be compared. */
export interface Intake {
  /** At least one; several where the content held several error-fix lines. */
  readonly drafts: readonly Draft[];
  readonly gates: Gates;
  readonly redactions: readonly Redaction[];
  /** Control and invisible characters that were taken out. */
  readonly removed: number;
  readonly warnings: readonly string[];
}

/** Characters of `content` by `memory_remember`; the old tool's door takes bytes instead. */
const MAX_CONTENT_CHARS = 8_000;
const MAX_HOOKS_BYTES = 65_536;

const TEXT_FIELDS = ['content', 'context', 'insight', 'action', 'error', 'fix', 'sourcePath', 'summary'] as const;
type TextField = (typeof TEXT_FIELDS)[number];

/** Wire names of the fields, for errors. */
const FIELD_NAMES: Readonly<Record<TextField, string>> = {
  content: 'content',
  context: 'context',
  insight: 'insight',
  action: 'action',
  error: 'error',
  fix: 'fix',
  sourcePath: 'source_path',
  summary: 'summary',
};

/** Cleans and redacts texts, and counts what it did over all of them. */
class Sanitiser {
  #removed = 0;
  readonly #redactions = new Map<string, number>();

  clean(text: string): string {
    const cleaned = cleanText(text);
    this.#removed += cleaned.removed;
    const redacted = redactSecrets(cleaned.text);
    for (const { kind, count } of redacted.redactions)
      this.#redactions.set(kind, (this.#redactions.get(kind) ?? 0) + count);
    return redacted.text.trim();
  }

  get removed(): number {
    return this.#removed;
  }

  get redactions(): Redaction[] {
    return [...this.#redactions].map(([kind, count]) => ({ kind, count }));
  }

  get warnings(): string[] {
    return this.#removed === 0 ? [] : [`${this.#removed} control or invisible characters were removed`];
  }
}

const REDACTED_MARK = /\[redacted:[a-z0-9_-]+\]/g;
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;

function checkNotEmpty(field: TextField, before: string, after: string): void {
  const name = FIELD_NAMES[field];
  if (!LETTER_OR_DIGIT.test(before)) {
    throw new CairnError(
      'empty_content',
      `${name} holds no letters or digits; send the text that is to be remembered.`,
      { field: name },
    );
  }
  if (!LETTER_OR_DIGIT.test(after.replace(REDACTED_MARK, ''))) {
    throw new CairnError(
      'secret_only',
      `${name} is only a secret, and secrets are never stored; describe what was learned instead.`,
      {
        field: name,
      },
    );
  }
}

function checkSize(request: RememberRequest): void {
  const content = request.content;
  if (content === undefined) return;
  const tooLarge =
    request.door === 'hooks' ? countBytes(content) > MAX_HOOKS_BYTES : countChars(content) > MAX_CONTENT_CHARS;
  if (!tooLarge) return;
  const limit = request.door === 'hooks' ? `${MAX_HOOKS_BYTES} bytes` : `${MAX_CONTENT_CHARS} characters`;
  throw new CairnError('too_large', `content is larger than ${limit}; send the lesson, not the log.`, {
    field: 'content',
  });
}

/** The exact line that names an error; a short text is its own signature. */
function signatureOf(error: string): string {
  return pickSignature(error)?.display ?? error.replace(/\s+/g, ' ').trim().slice(0, 300);
}

/**
 * Order of the protocol: clean, size, redact, then parse and quality gates. Throws `empty_content`, `secret_only`,
 * `too_large` or `invalid_input`; failed quality gates are reported, not thrown.
 */
export function takeIn(request: RememberRequest): Intake {
  checkSize(request);
  const sanitiser = new Sanitiser();
  const texts: Partial<Record<TextField, string>> = {};
  for (const field of TEXT_FIELDS) {
    const value = request[field];
    if (value === undefined) continue;
    const cleaned = sanitiser.clean(value);
    if (field === 'content' || field === 'error' || field === 'fix') checkNotEmpty(field, value, cleaned);
    if (cleaned !== '') texts[field] = cleaned;
  }
  const labels = {
    tags: (request.tags ?? []).map((tag) => sanitiser.clean(tag)).filter((tag) => tag !== ''),
    files: (request.files ?? []).map((file) => sanitiser.clean(file)).filter((file) => file !== ''),
  };
  const parsed = parse(texts, labels);
  return {
    ...parsed,
    redactions: sanitiser.redactions,
    removed: sanitiser.removed,
    warnings: [...sanitiser.warnings, ...parsed.warnings],
  };
}

/** A line that begins like an entry and has no fix is kept as what it is. */
const UNPARSED = 'error_fix_unparsed: a line begins like an error-fix entry but names no fix; kept as a learning';

type Labels = { readonly tags: readonly string[]; readonly files: readonly string[] };
type Parsed = Pick<Intake, 'drafts' | 'gates' | 'warnings'>;

function parse(texts: Partial<Record<TextField, string>>, labels: Labels): Parsed {
  const { content, context, insight, action, error, fix } = texts;
  const hasParts = context !== undefined || insight !== undefined || action !== undefined;
  if (error !== undefined || fix !== undefined) {
    if (content !== undefined || hasParts) {
      throw new CairnError('invalid_input', 'Send either error and fix, or content, or context, insight and action.', {
        field: 'error',
      });
    }
    if (error === undefined || fix === undefined) {
      const missing = error === undefined ? 'error' : 'fix';
      throw new CairnError('invalid_input', `An error-fix entry needs both error and fix; ${missing} is missing.`, {
        field: missing,
      });
    }
    return ofErrorFix(
      [
        {
          signature: signatureOf(error),
          fix,
          ...(texts.sourcePath === undefined ? {} : { sourcePath: texts.sourcePath }),
          ...(texts.summary === undefined ? {} : { summary: texts.summary }),
        },
      ],
      labels,
      [],
    );
  }
  if (hasParts) {
    if (content !== undefined) {
      throw new CairnError('invalid_input', 'Send either content or context, insight and action, not both.', {
        field: 'content',
      });
    }
    return ofParts(
      {
        ...(context === undefined ? {} : { context }),
        ...(insight === undefined ? {} : { insight }),
        ...(action === undefined ? {} : { action }),
      },
      labels,
    );
  }
  if (content === undefined) {
    throw new CairnError(
      'invalid_input',
      'Nothing to remember: send content, or context, insight and action, or error and fix.',
      {
        field: 'content',
      },
    );
  }
  return ofContent(content, labels);
}

function ofErrorFix(records: readonly ErrorFixRecord[], labels: Labels, warnings: readonly string[]): Parsed {
  const reports = records.map((record) => checkQualityGates({ errorFix: record }));
  const missing = [...new Set(reports.flatMap((report) => report.missing))];
  return {
    drafts: records.map((record) => draftOfErrorFix(record, labels)),
    gates: { passed: missing.length === 0, missing, words: reports.reduce((sum, report) => sum + report.words, 0) },
    warnings,
  };
}

function ofParts(parts: LearningParts, labels: Labels): Parsed {
  const draft = draftOfParts(parts, labels);
  return { drafts: [draft], gates: checkQualityGates(parts), warnings: [] };
}

function ofContent(content: string, labels: Labels): Parsed {
  const errorFix = parseErrorFix(content);
  const unparsed = errorFix.unparsed.length === 0 ? [] : [UNPARSED];
  if (errorFix.records.length > 0) {
    const parsed = ofErrorFix(errorFix.records, labels, [...errorFix.warnings, ...unparsed]);
    return { ...parsed, drafts: [...parsed.drafts, ...errorFix.unparsed.map((line) => draftOfContent(line, labels))] };
  }
  const parts = parseLabelledParts(content);
  const gates = checkQualityGates({ ...parts, content });
  return {
    drafts: [draftOfContent(content, labels)],
    gates: { passed: gates.passed, missing: gates.missing, words: countWords(content) },
    warnings: [...errorFix.warnings, ...unparsed],
  };
}
