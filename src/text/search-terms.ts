import { tokenise } from './tokenise.ts';

/** What a query asks for. */
export interface SearchTerms {
  /** Distinct informative terms in order of appearance, as {@link tokenise} forms them. */
  readonly terms: readonly string[];
  /** The distinct whole identifiers among them, case-folded. */
  readonly identifiers: readonly string[];
}

/** The distinct terms of a query. No terms means that the text holds no information to search by. */
export function searchTerms(text: string): SearchTerms {
  const tokens = tokenise(text);
  const identifiers = tokens.filter(({ kind }) => kind === 'identifier');
  return {
    terms: [...new Set(tokens.map(({ term }) => term))],
    identifiers: [...new Set(identifiers.map(({ term }) => term))],
  };
}
