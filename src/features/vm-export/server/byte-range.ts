/** Part of a content, both ends included. */
export interface ByteRange {
  readonly first: number
  readonly last: number
}

/**
 * Reads the header `Range`. Undefined: the whole content, also for several ranges, which a server
 * may ignore. `unsatisfiable`: nothing of it is in the content. Pure.
 */
export function readRange(header: string | undefined, bytes: number): ByteRange | 'unsatisfiable' | undefined {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header?.replaceAll(' ', '') ?? '')
  if (match === null) return undefined
  const [, from = '', to = ''] = match
  if (from === '' && to === '') return undefined
  // The last bytes.
  if (from === '') return to === '0' || bytes === 0 ? 'unsatisfiable' : { first: Math.max(0, bytes - Number(to)), last: bytes - 1 }
  const first = Number(from)
  const last = to === '' ? bytes - 1 : Math.min(Number(to), bytes - 1)
  if (to !== '' && Number(to) < first) return undefined
  return first >= bytes ? 'unsatisfiable' : { first, last }
}
