import type { Client } from '#client/client.ts'
import type { PreflightResult } from '#features/operator/index.ts'
import { preflightResultOf } from '#features/upgrade-check/index.ts'
import { runUpgradeCheck, type UpgradeCheckRequest } from './upgrade-check.ts'

/**
 * Runs the upgrade check with the operator's own permissions, and formats the result for the status
 * of the KubeVirt object.
 */
export async function runOperatorPreflight(
  client: Pick<Client, 'list' | 'create'>,
  look: Omit<UpgradeCheckRequest, 'installer'>,
): Promise<PreflightResult> {
  const found = await runUpgradeCheck(client, look)
  return found === undefined ? { findings: [] } : preflightResultOf(found, look.kubevirt)
}
