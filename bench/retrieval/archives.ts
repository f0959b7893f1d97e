import { gunzipSync, inflateRawSync } from 'node:zlib';

const CENTRAL_ENTRY = 0x02014b50;
const END_OF_CENTRAL = 0x06054b50;

/** One stored or deflated file of a zip archive, by its name; throws where it is not there. */
export function readZipEntry(zip: Buffer, name: string): Buffer {
  let end = zip.length - 22;
  while (end >= 0 && zip.readUInt32LE(end) !== END_OF_CENTRAL) end -= 1;
  if (end < 0) throw new Error('not a zip archive');
  let at = zip.readUInt32LE(end + 16);
  while (zip.readUInt32LE(at) === CENTRAL_ENTRY) {
    const method = zip.readUInt16LE(at + 10);
    const packed = zip.readUInt32LE(at + 20);
    const nameLength = zip.readUInt16LE(at + 28);
    const local = zip.readUInt32LE(at + 42);
    if (zip.toString('utf8', at + 46, at + 46 + nameLength) === name) {
      const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
      const data = zip.subarray(start, start + packed);
      return method === 0 ? data : inflateRawSync(data);
    }
    at += 46 + nameLength + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
  throw new Error(`the zip archive has no ${name}`);
}

/** The regular files of a gzipped tar archive, in order. */
export function readTarGz(archive: Buffer): { readonly path: string; readonly text: string }[] {
  const tar = gunzipSync(archive);
  const files: { path: string; text: string }[] = [];
  for (let at = 0; at + 512 <= tar.length; ) {
    const field = (offset: number, length: number): string =>
      tar.toString('utf8', at + offset, at + offset + length).replace(/\0.*$/s, '');
    const name = field(0, 100);
    if (name === '') break;
    const size = Number.parseInt(field(124, 12).trim() || '0', 8);
    const kind = field(156, 1);
    const prefix = field(345, 155);
    if (kind === '0' || kind === '') {
      files.push({
        path: prefix === '' ? name : `${prefix}/${name}`,
        text: tar.toString('utf8', at + 512, at + 512 + size),
      });
    }
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return files;
}

/** Rows of a comma-separated file with a header line (RFC 4180: quotes doubled, line breaks inside quotes). */
export function readCsv(text: string): Record<string, string>[] {
  const rows: string[][] = [[]];
  let field = '';
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (quoted) {
      if (char !== '"') field += char;
      else if (text[i + 1] === '"') {
        field += '"';
        i += 1;
      } else quoted = false;
    } else if (char === '"') quoted = true;
    else if (char === ',' || char === '\n') {
      rows.at(-1)?.push(field.replace(/\r$/, ''));
      field = '';
      if (char === '\n') rows.push([]);
    } else field += char;
  }
  if (field !== '') rows.at(-1)?.push(field);
  const [header = [], ...body] = rows;
  return body
    .filter((row) => row.length > 1)
    .map((row) => Object.fromEntries(header.map((name, i) => [name, row[i] ?? ''])));
}
