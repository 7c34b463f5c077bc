/**
 * Returns where the mounts of this container are. A kubelet of machine mode that may not mount
 * names them in STEADYVM_MOUNTS instead: `/cert=/pods/…:/token=…`.
 */
export function containerPlace(environment: Readonly<Record<string, string | undefined>>): (path: string) => string {
  const named = environment['STEADYVM_MOUNTS'] ?? ''
  const places = new Map(
    named.split(':').flatMap((pair) => {
      const at = pair.indexOf('=')
      return at < 0 ? [] : [[pair.slice(0, at), pair.slice(at + 1)] as const]
    }),
  )
  return (path) => places.get(path) ?? path
}
