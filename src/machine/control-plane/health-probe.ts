import type { IncomingMessage } from 'node:http'

/** Where a component on this machine answers probes. */
export interface HealthEndpoint {
  readonly scheme: 'HTTP' | 'HTTPS'
  readonly host: string
  readonly port: number
}

/**
 * Reports whether the component behind a local health endpoint is ready. Like the kubelet, it does
 * not verify certificates. Uses no `import`, which would load the module at start:
 * docs/decisions/0008.
 */
export function isHealthy({ scheme, host, port }: HealthEndpoint): Promise<boolean> {
  const target = { host, port, path: '/readyz', agent: false, timeout: 2_000 } as const
  return new Promise((resolve) => {
    const onResponse = (response: IncomingMessage): void => {
      response.resume()
      resolve(response.statusCode === 200)
    }
    const probe =
      scheme === 'HTTPS'
        ? process.getBuiltinModule('node:https').get({ ...target, rejectUnauthorized: false }, onResponse)
        : process.getBuiltinModule('node:http').get(target, onResponse)
    probe.on('timeout', () => probe.destroy())
    probe.on('error', () => resolve(false))
  })
}
