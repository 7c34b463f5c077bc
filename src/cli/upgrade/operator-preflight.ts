import type { Client } from '#client/client.ts'
import type { PreflightResult } from '#features/operator/index.ts'
import { preflightResultOf } from '#features/upgrade-check/index.ts'
import { runUpgradeCheck, type UpgradeCheckRequest } from './upgrade-check.ts'

/**
 * The operator's own look: at what it may do itself, and in the form of the status of the KubeVirt
 * object.
 */
export async function runOperatorPreflight(
  client: Pick<Client, 'list' | 'create'>,
  look: Omit<UpgradeCheckRequest, 'installer'>,
): Promise<PreflightResult> {
  const found = await runUpgradeCheck(client, look)
  return found === undefined ? { findings: [] } : preflightResultOf(found, look.kubevirt)
}
