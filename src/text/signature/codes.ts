/** The names of errors inside a line: codes, error classes, errno and signal names. All matches are exact in case. */

/** System error names that are also common words or abbreviations are left out. */
const ERRNO =
  'E(?:2BIG|ACCES|ADDRINUSE|ADDRNOTAVAIL|AGAIN|AI_AGAIN|ALREADY|BADF|BADMSG|BUSY|CANCELED|CHILD|CONNABORTED|CONNREFUSED|CONNRESET|DEADLK|DESTADDRREQ|DOM|DQUOT|EXIST|FAULT|FBIG|HOSTDOWN|HOSTUNREACH|ILSEQ|INPROGRESS|INTEGRITY|INTR|INVAL|IO|ISCONN|ISDIR|LIFECYCLE|LOOP|MFILE|MLINK|MSGSIZE|NAMETOOLONG|NETDOWN|NETUNREACH|NFILE|NOBUFS|NODATA|NODEV|NOENT|NOEXEC|NOLCK|NOMEM|NOPROTOOPT|NOSPC|NOSYS|NOTCONN|NOTDIR|NOTEMPTY|NOTFOUND|NOTSOCK|NOTSUP|NXIO|OPNOTSUPP|OVERFLOW|PERM|PIPE|PROTO|RANGE|RESOLVE|ROFS|SHUTDOWN|SOCKETTIMEDOUT|SPIPE|SRCH|STALE|TARGET|TIMEDOUT|TIMEOUT|TXTBSY|UNSUPPORTED|USAGE|XDEV|404|401|403)';

/** `TS2345`, `E0382`, `CS1061`, `MSB4018`, `NU1101`, `P2002`, `ORA-00942`, `SC2086`, `YN0001`. */
const LETTER_CODE = '[A-Z]{1,8}-?\\d{3,6}';
const CONSTANT_CODE = '(?:ERR|ERROR|SQLITE|GRPC|UNABLE|CERT|DEPTH|SELF|HPE|MODULE|UND_ERR|EAI)_[A-Z0-9_]{2,60}';
const SIGNAL = 'SIG(?:ABRT|ALRM|BUS|FPE|HUP|ILL|INT|KILL|PIPE|QUIT|SEGV|TERM|TRAP|USR1|USR2)';
const HRESULT = '0x[89CcDd][0-9A-Fa-f]{7}';

/** A code by its form alone. */
export const CODE = new RegExp(
  `(?<![\\w$.-])(?:${ERRNO}|${CONSTANT_CODE}|${LETTER_CODE}|${SIGNAL}|${HRESULT})(?![\\w$]|[-.]\\w)`,
  'g',
);

/** `exit code 137`, `exit status 1`, `errno 2`, `SQLSTATE 42P01`, `HTTP 404`, `status code 502`, `signal 9`. */
export const NUMBERED_CODE =
  /\b(?:sqlstate[ :=([]{1,3}([0-9A-Z]{5})|(?:exit(?:ed)?(?: with)?(?: (?:code|status))?|(?:status|error|return) ?code|code|errno|status|signal|http(?:\/\d(?:\.\d)?)?|error)[ :=#([]{1,3}(-?\d{1,10}))\b/gi;

/** `TypeError`, `java.lang.NullPointerException`, `requests.exceptions.ConnectionError`; not the bare word `Error`. */
export const ERROR_CLASS =
  /(?<![\w$.])(?:[A-Za-z_$][\w$]{0,80}(?:\.|::)){0,12}([A-Z][\w$]{0,80}(?:Error|Exception|Fault|Failure|Panic|Interrupt)|KeyboardInterrupt|SystemExit|StopIteration)(?![\w$])/g;

/** The codes of a line in a fixed form (`TS2345`, `EXIT 137`), each once, in order. */
export function findCodes(line: string): string[] {
  const codes = new Set<string>();
  for (const [code] of line.matchAll(CODE)) codes.add(code.toUpperCase());
  for (const match of line.matchAll(NUMBERED_CODE)) codes.add(toNumberedCode(match[0], match[1] ?? match[2] ?? ''));
  return [...codes];
}

/** The error classes of a line without their package, each once, in order. */
export function findErrorClasses(line: string): string[] {
  return [...new Set(Array.from(line.matchAll(ERROR_CLASS), (match) => match[1] ?? ''))];
}

function toNumberedCode(whole: string, number: string): string {
  const word = whole.slice(0, whole.length - number.length).toUpperCase();
  const family =
    ['EXIT', 'ERRNO', 'SIGNAL', 'SQLSTATE', 'HTTP', 'STATUS'].find((name) => word.includes(name)) ?? 'CODE';
  return `${family === 'STATUS' ? 'HTTP' : family} ${number.toUpperCase()}`;
}
