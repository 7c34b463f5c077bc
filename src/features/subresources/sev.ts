import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { isTrue } from '#apimachinery/conditions.ts'
import { badRequest, conflict, notImplemented } from '#apimachinery/errors.ts'
import type { Client } from '#client/client.ts'
import type { ClusterConfig } from '#features/cluster-config/index.ts'
import type { AggregatedHandler } from '#runtime/aggregated/aggregated-group.ts'
import { getGuest, guestSubject } from './guest.ts'
import { parseOptions } from './parse-body.ts'

/** Dependencies of the subresources of guests with encrypted memory. */
export interface SevOptions {
  readonly client: Pick<Client, 'get'>
  readonly config: () => Pick<ClusterConfig, 'featureGates'>
}

/** KubeVirt's subresources for the attestation of guests with encrypted memory (AMD SEV). */
export type SevSubresource = 'fetchcertchain' | 'querylaunchmeasurement' | 'setupsession' | 'injectlaunchsecret'

const gate = 'WorkloadEncryptionSEV'

/**
 * Handles `virtualmachineinstances/<name>/sev/…`: refuses with KubeVirt's codes and words. Nodes
 * run no guests with encrypted memory, so that no guest can be attested.
 */
export function sev({ client, config }: SevOptions, subresource: SevSubresource): AggregatedHandler {
  return async ({ namespace, name, body }) => {
    if (!config().featureGates.includes(gate)) throw badRequest(`'${gate}' feature gate is not enabled`)
    if (subresource === 'setupsession') checkSession(body)
    const vmi = await getGuest(client, namespace, name)
    const obstacle = obstacleOf(vmi, subresource)
    if (obstacle !== undefined) throw conflict(guestSubject, name, obstacle)
    throw notImplemented('Guests with encrypted memory cannot run on nodes of steadyvm yet')
  }
}

function checkSession(body: string): void {
  const { session, dhCert } = parseOptions(body)
  if (typeof session !== 'string' || session === '') throw badRequest('Session blob is required')
  if (typeof dhCert !== 'string' || dhCert === '') throw badRequest('DH cert is required')
}

/** Returns why a guest cannot be attested now. */
function obstacleOf({ spec, status }: VirtualMachineInstance, subresource: SevSubresource): string | undefined {
  const { phase } = status ?? {}
  const security = spec.domain.launchSecurity?.sev
  const unattested = security?.attestation === undefined ? 'Attestation not requested for VMI' : undefined
  switch (subresource) {
    case 'fetchcertchain':
      return phase === 'Scheduled' || phase === 'Running' ? unattested : 'VMI is not assigned to a node yet'
    case 'setupsession':
      if (phase !== 'Scheduled') return 'VMI is not in Scheduled phase'
      return unattested ?? (security?.session || security?.dhCert ? 'Session already defined' : undefined)
    case 'querylaunchmeasurement':
    case 'injectlaunchsecret':
      if (phase !== 'Running') return 'VMI is not running'
      return unattested ?? (isTrue(status?.conditions, 'Paused') ? undefined : 'VMI is not paused')
  }
}
