/**
 * Reports whether the component behind a local health port is ready. Uses no `import`, which would
 * load the module at start: docs/decisions/0008.
 */
export function isHealthy(port: number, host: string = '127.0.0.1'): Promise<boolean> {
  const { get } = process.getBuiltinModule('node:http')
  return new Promise((resolve) => {
    const probe = get({ host, port, path: '/readyz', agent: false, timeout: 2_000 }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    probe.on('timeout', () => probe.destroy())
    probe.on('error', () => resolve(false))
  })
}
