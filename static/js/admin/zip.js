/** Names of the files in a ZIP. PKWARE APPNOTE 6.3.10. */

const ENTRY = 0x02014b50;
const END = 0x06054b50;

/** Return the names of the files in an archive; empty if they can't be read here. @param {File} file */
export async function list(file) {
  const tail = new DataView(await file.slice(Math.max(0, file.size - 0xffff - 22)).arrayBuffer());
  let end = tail.byteLength - 22;
  while (end >= 0 && tail.getUint32(end, true) !== END) end -= 1;
  if (end < 0) return [];
  const [size, start] = [tail.getUint32(end + 12, true), tail.getUint32(end + 16, true)];
  const view = new DataView(await file.slice(start, start + size).arrayBuffer());
  /** @type {string[]} */
  const names = [];
  // Their number, which may be too large for its field, isn't needed.
  for (let place = 0; place + 46 <= view.byteLength && view.getUint32(place, true) === ENTRY; ) {
    const [label, extra, comment] = [28, 30, 32].map((offset) => view.getUint16(place + offset, true));
    names.push(new TextDecoder().decode(new Uint8Array(view.buffer, place + 46, label)));
    place += 46 + label + extra + comment;
  }
  return names.filter((name) => !name.endsWith("/"));
}
