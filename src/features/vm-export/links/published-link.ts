import { componentNamespace } from '#api/access/component-users.ts'
import { configMaps } from '#api/core/v1/resources.ts'
import type { InformerSet } from '#runtime/cache/informer-set.ts'
import { externalPathOf } from '../proxy/index.ts'
import type { Ports } from '../ports.ts'

/** ConfigMap with the authorities of the API server, which every namespace has. */
export const rootCertificates = { name: 'kube-root-ca.crt', key: 'ca.crt' } as const

/**
 * Returns the external links of an API server that publishes exports at its own address,
 * `host:port`, as that of machine mode does.
 */
export function publishedLinks(informers: InformerSet, publishedAt: string): Ports['external'] {
  const { name, key } = rootCertificates
  const known = informers.informer(configMaps, { namespace: componentNamespace, fieldSelector: `metadata.name=${name}` })
  return async ({ metadata }) => {
    const certificates = known.get(componentNamespace, name)?.data?.[key]
    if (certificates === undefined)
      return { problem: `ConfigMap ${componentNamespace}/${name} with the certificates of the API server does not exist yet` }
    const path = externalPathOf(metadata.namespace ?? '', metadata.name ?? '')
    return { base: { side: 'external', hostAndBase: `${publishedAt}${path}`, certificates } }
  }
}
