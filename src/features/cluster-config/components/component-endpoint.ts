import type { IncomingMessage, ServerResponse } from 'node:http'
import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import type { Lister } from '#runtime/cache/lister.ts'
import { answerHealth, type HealthServerOptions } from '#runtime/health/health-server.ts'
import { chooseKubeVirt } from '../choose-kubevirt.ts'

/** Dependencies of {@link createComponentEndpoint}. */
export interface ComponentEndpointOptions {
  readonly kubevirts: Pick<Lister<KubeVirt>, 'list'>
  /** Asks the API server for its version. Asked until it has answered once. */
  readonly version: () => Promise<object>
  /** Answers `/readyz`, `/livez` and `/metrics`. */
  readonly health: HealthServerOptions
}

/**
 * Answers the paths of a component's HTTPS port. `/healthz` has KubeVirt's body, in which clients
 * that change the configuration find the resource version of the KubeVirt object in force.
 */
export function createComponentEndpoint({
  kubevirts,
  version,
  health,
}: ComponentEndpointOptions): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  let known: object | undefined
  return async (request, response) => {
    // Upstream's clients ask for "//healthz".
    const path = (request.url ?? '').split('?', 1)[0]?.replace(/^\/+/, '/')
    if (path !== '/healthz') return answerHealth(health, request, response)
    const apiserver = await Promise.resolve(known ?? version()).then(
      (answered) => {
        known = answered
        return { connectivity: 'ok', version: answered }
      },
      (error: unknown) => ({ connectivity: 'failed', error: error instanceof Error ? error.message : String(error) }),
    )
    const configuration = chooseKubeVirt(kubevirts.list())?.metadata.resourceVersion ?? ''
    response.writeHead(apiserver.connectivity === 'ok' ? 200 : 500, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ apiserver, 'config-resource-version': configuration }))
  }
}
