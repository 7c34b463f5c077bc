/** Names the mounts of a container whose kubelet may not mount: `/data=/pods/…:/token=…`. */
const mountsVariable = 'STEADYVM_MOUNTS'

/** Returns where a mount of this container is. Pure. */
export function mountedAt(environment: Readonly<Record<string, string | undefined>>, path: string): string {
  const named = (environment[mountsVariable] ?? '').split(':').map((pair) => pair.split('='))
  return named.find(([mountPath]) => mountPath === path)?.[1] ?? path
}
