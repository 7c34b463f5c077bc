import type { Client } from '#client/client.ts'
import type { Sight } from '#features/operator/index.ts'
import { sightOf } from '#features/upgrade-check/index.ts'
import { checkUpgrade, type UpgradeLook } from './upgrade-check.ts'

/**
 * The operator's own look: at what it may do itself, and in the form of the status of the KubeVirt
 * object.
 */
export async function lookBeforeUpgrade(client: Pick<Client, 'list' | 'create'>, look: Omit<UpgradeLook, 'installer'>): Promise<Sight> {
  const found = await checkUpgrade(client, look)
  return found === undefined ? { findings: [] } : sightOf(found, look.kubevirt)
}
