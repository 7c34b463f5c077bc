/** Updates and patches that the API server has answered, by resource. */
export interface WriteCounts {
  of(resource: string): number
  minus(earlier: WriteCounts): WriteCounts
}

/** Reads the API server's own request counters: main resource and subresources together. */
export async function writesByKind(server: { readonly kubectl: (args: readonly string[]) => Promise<string> }): Promise<WriteCounts> {
  const text = await server.kubectl(['get', '--raw', '/metrics'])
  const counts = new Map<string, number>()
  for (const line of text.split('\n')) {
    if (!line.startsWith('apiserver_request_total{')) continue
    const label = (name: string): string => new RegExp(`${name}="([^"]*)"`).exec(line)?.[1] ?? ''
    if (!['UPDATE', 'PATCH', 'APPLY', 'update', 'patch', 'PUT'].includes(label('verb'))) continue
    if (!label('code').startsWith('2')) continue
    counts.set(label('resource'), (counts.get(label('resource')) ?? 0) + Number(line.slice(line.lastIndexOf(' ') + 1)))
  }
  return createCounts(counts)
}

function createCounts(counts: ReadonlyMap<string, number>): WriteCounts {
  const of = (resource: string): number => counts.get(resource) ?? 0
  return {
    of,
    minus: (earlier) => createCounts(new Map([...counts.keys()].map((resource) => [resource, of(resource) - earlier.of(resource)]))),
  }
}
