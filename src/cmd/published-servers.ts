import type { EmbeddedApi, EmbeddedApiOptions } from '#apiserver/embedded-api.ts'
import type { Client } from '#client/client.ts'

type Published = NonNullable<EmbeddedApiOptions['published']>

/**
 * Publishes servers at the address of the API server, as an Ingress does on a cluster: clients of
 * exports and uploads know the address of the API server, and no other of a machine. `api` returns
 * the server itself, once it runs.
 */
export function publishedServers(api: () => Pick<EmbeddedApi, 'client'>): Published {
  let client: Client | undefined
  const own = (): Client => (client ??= api().client({ username: 'system:apiserver', groups: ['system:masters'] }))
  // Finders are imported late: the API server starts without.
  return [
    {
      // Downloads of exports: KubeVirt's virt-exportproxy.
      path: /^\/api\/export\.kubevirt\.io\//,
      methods: ['GET', 'HEAD'],
      limit: 100,
      // Their token has a header of its own.
      takesAuthorization: false,
      async find(url) {
        const { findExportServer } = await import('#features/vm-export/proxy/index.ts')
        return findExportServer(own(), url)
      },
    },
    {
      // Uploads: CDI's upload proxy.
      path: /^\/v1(?:alpha1|beta1)\/upload(?:-[a-z-]+)?$/,
      methods: ['POST', 'PATCH', 'HEAD', 'OPTIONS'],
      limit: 64,
      takesAuthorization: true,
      async find(url) {
        const { findUploadServer } = await import('#features/volume-upload/publisher/index.ts')
        return findUploadServer(own(), url)
      },
    },
  ]
}
