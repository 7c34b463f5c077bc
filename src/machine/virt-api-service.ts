import { services } from '#api/core/v1/resources.ts'
import type { Service } from '#api/core/v1/service.ts'
import { semanticEqual } from '#apimachinery/equality.ts'
import { isAlreadyExists } from '#apimachinery/errors.ts'
import type { Client } from '#client/client.ts'
import { found } from '#client/found.ts'
import { SYSTEM_NAMESPACE } from './static-pods.ts'

/** Name of the service behind which virt-api answers. */
export const VIRT_API_SERVICE = 'virt-api'

/** Makes the service that leads to virt-api's port on this machine, so that its API can be registered by a name that its certificate carries. */
export async function ensureVirtApiService(client: Client, port: number): Promise<void> {
  const key = { namespace: SYSTEM_NAMESPACE, name: VIRT_API_SERVICE }
  const spec = { selector: { 'kubevirt.io': VIRT_API_SERVICE }, ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: port }] }
  const present = await found(client.get(services, key))
  if (present === undefined) {
    const service: Service = { apiVersion: 'v1', kind: 'Service', metadata: { ...key, labels: { 'kubevirt.io': VIRT_API_SERVICE } }, spec }
    await client.create(services, service).catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error
    })
  } else if (!semanticEqual({ selector: present.spec?.selector, ports: present.spec?.ports }, spec)) {
    await client.patch(services, key, { type: 'merge', body: { spec } })
  }
}
