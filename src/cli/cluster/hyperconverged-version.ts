import { componentNamespace } from '#api/access/component-users.ts'
import { namespaces } from '#api/core/v1/resources.ts'
import type { Client } from '#client/client.ts'
import { thisRelease } from '#machine/release/release.ts'

/** Annotation of the namespace: version whose operator of HyperConverged was installed last. */
const annotation = 'steadyvm.io/hyperconverged-version'

/** Returns the version of the operator of HyperConverged that `up` has installed last. */
export async function installedHyperConverged(client: Pick<Client, 'get'>): Promise<string | undefined> {
  const { metadata } = await client.get(namespaces, { name: componentNamespace })
  return metadata.annotations?.[annotation]
}

/** Records that the operator of HyperConverged of this release was installed. */
export async function recordHyperConverged(client: Pick<Client, 'patch'>): Promise<void> {
  const body = { metadata: { annotations: { [annotation]: thisRelease().version } } }
  await client.patch(namespaces, { name: componentNamespace }, { type: 'merge', body })
}
