export type FileCategory = 'test' | 'ci' | 'docs' | 'build' | 'config' | 'schema' | 'style' | 'source';

/** First match decides; the rules look at the path alone. */
const RULES: readonly (readonly [FileCategory, RegExp])[] = [
  ['test', /(^|\/)(tests?|__tests__|spec|e2e|fixtures)\/|[._-](test|spec)\.[a-z]+$|(^|\/)test_[^/]+\.py$|_test\.(go|py|rb)$/],
  ['ci', /(^|\/)\.(github\/workflows|circleci|buildkite)\/|(^|\/)(\.gitlab-ci\.yml|jenkinsfile|azure-pipelines\.yml|\.travis\.yml)$/],
  ['docs', /(^|\/)docs?\/|\.(md|mdx|rst|adoc|txt)$|(^|\/)(licen[cs]e|changelog|readme)[^/]*$/],
  ['schema', /\.(sql|graphql|proto|prisma|avsc|xsd)$|(^|\/)migrations?\/|[._-]schema\.json$/],
  ['style', /\.(css|scss|sass|less|styl)$/],
  ['build', /(^|\/)(makefile|dockerfile[^/]*|cmakelists\.txt|build\.gradle(\.kts)?|pom\.xml|cargo\.toml|go\.mod|package(-lock)?\.json|yarn\.lock|pnpm-lock\.yaml|(vite|webpack|rollup|tsup|tsdown|esbuild)\.config\.[a-z]+)$/],
  ['config', /\.(ya?ml|toml|ini|env|cfg|conf|properties|json5?|editorconfig)$|(^|\/)\.[^/]+rc(\.[a-z]+)?$|\.config\.[a-z]+$/],
];

const LANGUAGES: Readonly<Record<string, string>> = {
  ts: 'TypeScript', tsx: 'TypeScript', mts: 'TypeScript', cts: 'TypeScript', js: 'JavaScript', jsx: 'JavaScript', mjs: 'JavaScript', cjs: 'JavaScript',
  py: 'Python', go: 'Go', rs: 'Rust', java: 'Java', kt: 'Kotlin', rb: 'Ruby', php: 'PHP', cs: 'C#', c: 'C', h: 'C', cpp: 'C++', cc: 'C++', hpp: 'C++',
  swift: 'Swift', scala: 'Scala', sh: 'Shell', bash: 'Shell', vue: 'Vue', svelte: 'Svelte', dart: 'Dart', ex: 'Elixir', lua: 'Lua',
};

/** What a file is for, by its path; for source files with the language where its ending tells. */
export function categoriseFile(path: string): { readonly category: FileCategory; readonly language?: string } {
  const normal = path.replaceAll('\\', '/').toLowerCase();
  for (const [category, rule] of RULES) if (rule.test(normal)) return { category };
  const language = LANGUAGES[/\.([a-z0-9]+)$/.exec(normal)?.[1] ?? ''];
  return language === undefined ? { category: 'source' } : { category: 'source', language };
}
