export type FileCategory = 'test' | 'ci' | 'docs' | 'build' | 'config' | 'schema' | 'style' | 'source';

export interface CategorisedFile {
  readonly category: FileCategory;
  /** For source files of a known language. */
  readonly language?: string;
}

/** The first rule that fits decides; the rules look at the path alone, in lower case with `/`. */
const RULES: readonly (readonly [FileCategory, RegExp])[] = [
  [
    'ci',
    /(?:^|\/)\.(?:github\/workflows|circleci|buildkite)\/|(?:^|\/)(?:\.gitlab-ci\.ya?ml|jenkinsfile|azure-pipelines\.ya?ml|\.travis\.ya?ml|\.drone\.ya?ml|bitbucket-pipelines\.ya?ml)$/,
  ],
  [
    'test',
    /(?:^|\/)(?:tests?|__tests__|specs?|e2e|fixtures|__mocks__|testdata)\/|[._-](?:test|spec|e2e)\.[a-z]+$|(?:^|\/)test_[^/]+\.py$|_test\.(?:go|py|rb|exs)$/,
  ],
  [
    'build',
    /(?:^|\/)(?:package(?:-lock)?\.json|pnpm-lock\.yaml|yarn\.lock|makefile|cmakelists\.txt|dockerfile[^/]*|docker-compose[^/]*\.ya?ml|cargo\.(?:toml|lock)|go\.(?:mod|sum)|pom\.xml|(?:build|settings)\.gradle(?:\.kts)?|gradlew|requirements[^/]*\.txt|pyproject\.toml|setup\.(?:py|cfg)|gemfile(?:\.lock)?|composer\.(?:json|lock)|(?:vite|webpack|rollup|tsup|tsdown|esbuild)\.config\.[a-z]+|[^/]+\.(?:csproj|sln|mk|bazel|nix))$/,
  ],
  [
    'docs',
    /(?:^|\/)docs?\/|\.(?:md|mdx|markdown|rst|adoc|txt)$|(?:^|\/)(?:licen[cs]e|notice|changelog|readme|authors|contributing)[^/]*$/,
  ],
  [
    'schema',
    /\.(?:sql|graphql|gql|proto|prisma|avsc|xsd|thrift)$|(?:^|\/)migrations?\/|[._-]schema\.json$|(?:^|\/)(?:openapi|swagger)[^/]*\.(?:json|ya?ml)$/,
  ],
  ['style', /\.(?:css|scss|sass|less|styl|pcss)$/],
  [
    'config',
    /\.(?:ya?ml|toml|ini|env|cfg|conf|properties|json[c5]?|editorconfig|tf|tfvars|lock|plist)$|(?:^|\/)\.[^/]+$|\.config\.[a-z]+$|(?:^|\/)config\//,
  ],
];

const LANGUAGES: ReadonlyMap<string, string> = new Map(
  (
    [
      ['TypeScript', 'ts tsx mts cts'],
      ['JavaScript', 'js jsx mjs cjs'],
      ['Python', 'py pyi'],
      ['C++', 'cpp cc cxx hpp'],
      ['C', 'c h'],
      ['C#', 'cs'],
      ['Kotlin', 'kt kts'],
      ['Shell', 'sh bash zsh'],
      ['PowerShell', 'ps1'],
      ['Elixir', 'ex exs'],
      ['HTML', 'html htm'],
      ['Objective-C', 'm mm'],
      ['Go', 'go'],
      ['Rust', 'rs'],
      ['Java', 'java'],
      ['Ruby', 'rb'],
      ['PHP', 'php'],
      ['Swift', 'swift'],
      ['Scala', 'scala'],
      ['Vue', 'vue'],
      ['Svelte', 'svelte'],
      ['Dart', 'dart'],
      ['Lua', 'lua'],
      ['Zig', 'zig'],
      ['Haskell', 'hs'],
    ] as const
  ).flatMap(([language, extensions]) => extensions.split(' ').map((extension) => [extension, language] as const)),
);

/** What a file is for, by its path; for source files with the language where the ending tells. */
export function categoriseFile(path: string): CategorisedFile {
  const normal = path.replaceAll('\\', '/').toLowerCase();
  const category = RULES.find(([, rule]) => rule.test(normal))?.[0] ?? 'source';
  const language = category === 'source' ? LANGUAGES.get(/\.([a-z0-9]+)$/.exec(normal)?.[1] ?? '') : undefined;
  return { category, ...(language === undefined ? {} : { language }) };
}

/** The last name of a path with either separator. */
export function baseNameOf(path: string): string {
  const trimmed = path.replace(/[\\/]$/, '');
  return trimmed.slice(Math.max(trimmed.lastIndexOf('/'), trimmed.lastIndexOf('\\')) + 1);
}
