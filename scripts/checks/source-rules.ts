import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import type { HouseCheck } from './check.ts';

/** Looks at one node; gives the complaint, or nothing. */
type NodeRule = (node: ts.Node) => string | undefined;

interface FileRule {
  applies(path: string): boolean;
  readonly check: NodeRule;
}

const PROCESS_MEMBERS = new Set(['env', 'argv', 'exit', 'exitCode']);
const MODULE_MOCKS = new Set(['mock', 'doMock', 'unstable_mockModule']);
const TEST_FUNCTIONS = new Set(['it', 'test', 'describe']);

/** `process.env`, `process['env']` and `import { env } from 'node:process'`. */
const usesProcess: NodeRule = (node) => {
  const advice = 'belongs to src/cli alone; take it as a parameter.';
  if (ts.isPropertyAccessExpression(node) && node.expression.getText() === 'process') {
    return PROCESS_MEMBERS.has(node.name.text) ? `process.${node.name.text} ${advice}` : undefined;
  }
  if (ts.isElementAccessExpression(node) && node.expression.getText() === 'process') {
    return `process[…] ${advice}`;
  }
  if (ts.isImportSpecifier(node) && /^(node:)?process$/.test(moduleOf(node.parent.parent.parent))) {
    const name = (node.propertyName ?? node.name).text;
    return PROCESS_MEMBERS.has(name) ? `${name} of node:process ${advice}` : undefined;
  }
  return undefined;
};

function moduleOf(declaration: ts.Node): string {
  if (!ts.isImportDeclaration(declaration) || !ts.isStringLiteral(declaration.moduleSpecifier)) return '';
  return declaration.moduleSpecifier.text;
}

/** State that outlives a call: a top-level `let`, or a collection that starts empty and can only be filled later. */
const holdsModuleState: NodeRule = (node) => {
  if (!ts.isVariableStatement(node) || !ts.isSourceFile(node.parent)) return undefined;
  const declares = node.modifiers?.some((modifier) => modifier.kind === ts.SyntaxKind.DeclareKeyword) ?? false;
  if (declares) return undefined;
  const list = node.declarationList;
  const advice = 'is state of the module; put it into an object that the composition owns.';
  if ((list.flags & ts.NodeFlags.Const) === 0) return `A top-level variable ${advice}`;
  for (const { initializer, name } of list.declarations) {
    const startsEmpty =
      initializer !== undefined &&
      ((ts.isNewExpression(initializer) &&
        /^(Weak)?(Map|Set)$/.test(initializer.expression.getText()) &&
        (initializer.arguments?.length ?? 0) === 0) ||
        (ts.isArrayLiteralExpression(initializer) && initializer.elements.length === 0));
    if (startsEmpty) return `${name.getText()} starts empty, so it ${advice}`;
  }
  return undefined;
};

const mocksModule: NodeRule = (node) => {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return undefined;
  const { expression, name } = node.expression;
  if (!/^(vi|vitest|jest)$/.test(expression.getText()) || !MODULE_MOCKS.has(name.text)) return undefined;
  return 'A module mock. Hand the real thing, or the fake beside it, through deps.';
};

function rootName(expression: ts.Expression): string {
  if (ts.isPropertyAccessExpression(expression) || ts.isCallExpression(expression)) {
    return rootName(expression.expression);
  }
  return expression.getText();
}

/** `it.skip`, `it.only`, `it.todo`, `it.skipIf`, and a `skip()` without a reason. */
const hidesTest: NodeRule = (node) => {
  if (!ts.isPropertyAccessExpression(node)) return undefined;
  const { name } = node;
  if (TEST_FUNCTIONS.has(rootName(node.expression))) {
    if (/^(skip|only|todo|fails)$/.test(name.text)) return `.${name.text} hides a test. Run it or remove it.`;
    if (/^(skipIf|runIf)$/.test(name.text)) {
      return `.${name.text} skips without a word. Use context.skip(condition, 'reason').`;
    }
    return undefined;
  }
  if (name.text !== 'skip' || !ts.isCallExpression(node.parent) || node.parent.expression !== node) return undefined;
  return node.parent.arguments.length === 0 ? 'skip() needs its reason as an argument.' : undefined;
};

/** A `catch` of a promise that drops the failure: `.catch(() => {})`. */
const dropsRejection: NodeRule = (node) => {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return undefined;
  const [handler] = node.arguments;
  if (node.expression.name.text !== 'catch' || handler === undefined || !ts.isArrowFunction(handler)) return undefined;
  if (!ts.isBlock(handler.body) || handler.body.statements.length > 0) return undefined;
  return handler.body.getFullText().includes('//')
    ? undefined
    : 'An empty catch. Say in a comment why it may be empty.';
};

const inProduct = (path: string): boolean => path.startsWith('src/') || /^packages\/[^/]+\/src\//.test(path);
const inTests = (path: string): boolean => path.startsWith('test/');

const RULES: readonly FileRule[] = [
  { applies: (path) => inProduct(path) && !path.startsWith('src/cli/'), check: usesProcess },
  { applies: inProduct, check: holdsModuleState },
  { applies: () => true, check: dropsRejection },
  { applies: inTests, check: mocksModule },
  { applies: inTests, check: hidesTest },
];

const UNFINISHED = /\b(?:TODO|FIXME|XXX|HACK)\b|\b[Nn]ot (?:yet )?implemented\b/;

function checkFile(path: string, text: string): string[] {
  const rules = RULES.filter((rule) => rule.applies(path));
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const problems: string[] = [];
  const visit = (node: ts.Node): void => {
    for (const { check } of rules) {
      const complaint = check(node);
      if (complaint !== undefined) {
        const { line } = source.getLineAndCharacterOfPosition(node.getStart());
        problems.push(`${path}:${line + 1}: ${complaint}`);
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return problems;
}

function checkComments(path: string, text: string): string[] {
  return text.split('\n').flatMap((line, index) => {
    const word = UNFINISHED.exec(line)?.[0];
    return word === undefined ? [] : [`${path}:${index + 1}: "${word}". Finish it or file an issue.`];
  });
}

/** Rules that need the syntax tree: the process, module state, module mocks, hidden tests, dropped failures. */
export const sourceRules: HouseCheck = {
  name: 'source rules',
  run(root, files) {
    const sources = files.filter(
      (path) => /\.tsx?$/.test(path) && !/\/(generated|fixtures|assembly)\//.test(path) && !path.endsWith('.d.ts'),
    );
    const problems = sources.flatMap((path) => {
      const text = readFileSync(join(root, path), 'utf8');
      return [...checkFile(path, text), ...(inProduct(path) ? checkComments(path, text) : [])];
    });
    return { problems, notes: [`${sources.length} files read`] };
  },
};
