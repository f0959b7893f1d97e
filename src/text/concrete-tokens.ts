import { toCompatibilityForm } from './normalise.ts';
import { shortenRuns } from './runs.ts';

/** Product names in camel case: they are common words of prose, no identifiers. */
const PRODUCT_NAMES: ReadonlySet<string> = new Set(
  'GitHub GitLab BitBucket JavaScript TypeScript CoffeeScript YouTube LinkedIn PostgreSQL MySQL MongoDB SQLite GraphQL macOS iOS iPhone iPad OAuth DevOps LaTeX WordPress StackOverflow PowerShell CircleCI OpenAI ChatGPT VSCode IntelliJ WebSocket WebSockets DevTools README'.split(
    ' ',
  ),
);

const PATTERNS: readonly RegExp[] = [
  // Paths with a separator and a telling part, and file names with a known sort of ending.
  /(?<![\w.])(?:[A-Za-z]:\\|\.{0,2}\/|~\/)?(?:[\w.@-]+[\\/])+[\w.@-]*\w/g,
  /(?<![\w./-])[\w-]*\.?[\w-]+\.(?:[cm]?[jt]sx?|json[c5l]?|ya?ml|toml|md|mdx|py|rb|go|rs|java|kt|swift|cs|cpp|cc|hpp?|c|php|sh|bash|zsh|ps1|sql|html?|s?css|less|vue|svelte|lock|txt|log|env|ini|cfg|conf|xml|csv|proto|tf|gradle|wasm)\b/g,
  /(?<![\w])(?:Dockerfile|Makefile|Gemfile|Procfile|Jenkinsfile|CMakeLists|\.(?:env|gitignore|npmrc|nvmrc|editorconfig|eslintrc|prettierrc|babelrc))\b/g,
  // Commands.
  /\b(?:npm|npx|pnpm|yarn|bun|deno|git|gh|gt|docker|podman|kubectl|helm|terraform|cargo|rustup|pip3?|poetry|uv|pytest|python3?|ruby|bundle|gradlew?|mvn|dotnet|tsc|eslint|biome|prettier|vitest|jest|curl|wget|ssh|sed|awk|grep|chmod|chown|systemctl|apt-get|brew) (?:--?)?[a-z][\w:.-]*/g,
  /\b(?:go (?:test|build|run|mod|vet|get|install|generate)|make -\w|node --?\w[\w-]*)\b/g,
  // Quoted or coded text.
  /`[^`\n]{2,200}`|"[^"\n]{3,200}"|“[^”\n]{3,200}”/g,
  // Identifiers: camelCase, snake_case, A::b, a.b(), call().
  /(?<![\w$])_{0,2}[a-z][a-z0-9]*(?:[A-Z][a-z0-9]+)+\w*|(?<![\w$])(?:[A-Z][a-z0-9]+){2,}\w*/g,
  /(?<![\w$])[A-Za-z]\w*_\w+|(?<![\w$])_{1,2}[a-z]\w+/g,
  /\b\w+(?:::\w+)+|\b[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*\(\)?/g,
  // Error names and codes.
  /(?<![\w$])(?:[A-Z]{1,8}-?\d{3,6}|E[A-Z]{4,}|ERR_\w+|SIG[A-Z]{3,4}|0x[0-9A-Fa-f]{4,}|[A-Z]\w*(?:Error|Exception))(?![\w$])/g,
  /\b(?:exit (?:code|status)|status code|errno|HTTP) \d+/gi,
  // Flags.
  /(?<![\w-])--[a-z][\w-]+|(?<=\s)-[A-Za-z](?=[\s,.;]|$)/g,
  // Versions.
  /(?<![\w.])v\d+(?:\.\d+)*|(?<![\w.])\d+\.\d+\.\d+\b|[\w-]+@\d+(?:\.\d+)*|\b(?:version|node|python|node\.js|java|go|react|typescript) \d+(?:\.\d+)*/gi,
];

/** The concrete things a text names, each once: paths, commands, quoted text, identifiers, error codes, flags, versions. */
export function concreteTokens(text: string): string[] {
  const plain = shortenRuns(toCompatibilityForm(text));
  const tokens = new Set<string>();
  for (const pattern of PATTERNS) {
    for (const [token] of plain.matchAll(pattern)) if (!PRODUCT_NAMES.has(token)) tokens.add(token);
  }
  return [...tokens];
}
