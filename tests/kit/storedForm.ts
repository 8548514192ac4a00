// The form that brings a result with its metadata, as bytes: sent by clients that count what they send.

export function storedForm(metadata: object, data: Uint8Array): { body: Buffer; headers: Record<string, string> } {
  const head = (name: string): string =>
    `--edge\r\nContent-Disposition: form-data; name="${name}"; filename="${name}"\r\n\r\n`;
  const body = Buffer.concat([
    Buffer.from(`${head('metadata')}${JSON.stringify(metadata)}\r\n${head('data')}`),
    data,
    Buffer.from('\r\n--edge--\r\n'),
  ]);
  return { body, headers: { 'content-type': 'multipart/form-data; boundary=edge' } };
}
