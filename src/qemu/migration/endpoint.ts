/**
 * Destination of a stream. Unix sockets are for guests that stay on their machine, or behind a
 * proxy.
 */
export type Endpoint =
  | { readonly kind: 'unix'; readonly path: string }
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number }

/** The form of `migrate` and `migrate-incoming`. */
export function migrationUri(endpoint: Endpoint): string {
  if (endpoint.kind === 'unix') return `unix:${endpoint.path}`
  const host = endpoint.host.includes(':') ? `[${endpoint.host}]` : endpoint.host
  return `tcp:${host}:${endpoint.port}`
}

/** The form of `blockdev-add` for a client of a disk server. */
export function socketAddress(endpoint: Endpoint): Readonly<Record<string, string>> {
  return endpoint.kind === 'unix'
    ? { type: 'unix', path: endpoint.path }
    : { type: 'inet', host: endpoint.host, port: String(endpoint.port) }
}

/** The form of `nbd-server-start`. */
export function serverAddress(endpoint: Endpoint): Readonly<Record<string, unknown>> {
  const { type, ...data } = socketAddress(endpoint)
  return { type, data }
}

/** Converts the listen address that QEMU reports. */
export function endpointOf(address: Readonly<Record<string, unknown>>): Endpoint | undefined {
  if (address['type'] === 'unix') return { kind: 'unix', path: String(address['path']) }
  if (address['type'] === 'inet') return { kind: 'tcp', host: String(address['host']), port: Number(address['port']) }
  return undefined
}
