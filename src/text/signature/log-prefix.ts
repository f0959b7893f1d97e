/** What stands before the message of a log line; taken off one after the other until none fits. */
const PREFIXES: readonly RegExp[] = [
  // Time: ISO and its variants, clock time, syslog, glog; in brackets or not.
  /^[[(]?\d{4}[-/]\d{2}[-/]\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?: ?(?:Z|UTC|[+-]\d{2}:?\d{2}))?)?[\])]?[\s:,|-]+/,
  /^[[(]?\d{1,2}:\d{2}:\d{2}(?:[.,]\d{1,9})?(?: [AP]M)?[\])]?[\s:,|-]+/,
  /^(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) {1,2}\d{1,2} \d{2}:\d{2}:\d{2} (?:\S{1,64} )?[\w./-]{1,64}(?:\[\d+\])?: /,
  /^[IWEF]\d{4} \d{2}:\d{2}:\d{2}\.\d{1,9} +\d+ [\w./-]{1,80}:\d+\] /,
  // CI: annotations and groups.
  /^##\[\w+\]\s*/,
  /^::error(?: [^\n]{0,200}?)?::\s*/,
  // Containers and task runners: `web-1  | `, `@scope/app:build: `.
  /^[\w.@/-]{1,48}\s{1,12}\|\s/,
  /^@?[\w./-]{1,48}:(?:build|test|lint|dev|start|typecheck|check): /,
  // Package managers.
  /^(?:npm|pnpm|yarn) (?:ERR!|error)(?: code)? /,
  /^[➤│┃|]\s/,
  // Process: `(node:123)`, `[pid 9]`, `app[123]:`.
  /^\(node:\d+\)\s*/,
  /^[\w-]{1,32}\[\d+\]:\s*/,
  // Python's own format, `ERROR:app.loader:`, and the mark of pytest.
  /^(?:DEBUG|INFO|WARNING|ERROR|CRITICAL):[A-Za-z_][\w.]{0,80}:(?=\S)/,
  /^E {3}(?=\S)/,
  // Level, by its own; lower case `error:` belongs to the message.
  /^[[(<](?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|ERR|SEVERE|FATAL|CRITICAL|E|W|F)[\])>][:\s-]*/i,
  /^(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|ERR!?|SEVERE|FATAL|CRITICAL)(?:\s*[:|]\s*|\s+-\s+|\s+(?=[[(A-Z/"'`]|\w+[.:]))(?![[(]\w*\d)/,
  // Thread and logger: `[main]`, `[vite]`, `c.f.Bar - `.
  /^\[(?!E?\d|ERR_|[A-Z]+\d|Errno)[\w .:#@/-]{1,48}\][:\s-]*/,
  /^[a-z][\w$]{0,40}(?:\.[\w$]{1,60}){1,12}\s+(?:-|:)\s+/,
  // Prompt and shell: `$ `, `PS C:\> `, `ana@host:~$ `, `bash: line 1: `.
  /^(?:[$#%>❯»]|PS [^>\n]{0,120}>|[\w.-]{1,32}@[\w.-]{1,64}[:~ ][^$#\n]{0,120}[$#])\s+/,
  /^(?:\/(?:usr\/)?bin\/)?(?:ba|z|da|k|fi)?sh: (?:(?:line )?\d+: )?/,
];

const MAX_ROUNDS = 10;

/** One line of a log without time, level, thread, logger, prompt, shell or tool prefix; never empty unless the line is. */
export function stripLogPrefix(line: string): string {
  let rest = line.trim();
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const shorter = stripOnce(rest);
    if (shorter === rest) return rest;
    rest = shorter;
  }
  return rest;
}

function stripOnce(line: string): string {
  for (const prefix of PREFIXES) {
    const length = prefix.exec(line)?.[0].length ?? 0;
    if (length > 0 && length < line.length) return line.slice(length).trimStart();
  }
  return line;
}

const ERROR_LEVEL =
  /^(?:[^A-Za-z]|\d{4}-\d{2}-\d{2}T){0,40}(?:ERROR|ERR!?|FATAL|SEVERE|CRITICAL|##\[error\]|::error|(?:npm|pnpm|yarn) (?:ERR!|error))(?![A-Za-z])/;

/** Whether the prefix of a log line says that the line reports an error. */
export function hasErrorLevel(line: string): boolean {
  return ERROR_LEVEL.test(line.trimStart().slice(0, 80));
}
