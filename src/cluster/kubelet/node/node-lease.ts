import { isNotFound } from '#apimachinery/errors.ts'
import { leases } from '#api/coordination/v1/resources.ts'
import type { Lease } from '#api/coordination/v1/lease.ts'
import type { Client } from '#client/client.ts'
import type { Clock } from '#runtime/clock/clock.ts'

/** Namespace of node leases. */
const nodeLeaseNamespace = 'kube-node-lease'
/** Seconds without renewal after which the node counts as gone. */
const nodeLeaseSeconds = 40

/** Parameters of a renewal. */
export interface LeaseRenewal {
  readonly client: Client
  readonly clock: Clock
  readonly node: string
  readonly nodeUid: string | undefined
  readonly signal: AbortSignal
}

/** Renews the lease of a node, or creates it. Resolves to true. */
export async function renewLease(renewal: LeaseRenewal): Promise<true> {
  const { client, clock, node, signal } = renewal
  const renewTime = new Date(clock.now()).toISOString().replace('Z', '000Z')
  const key = { namespace: nodeLeaseNamespace, name: node }
  try {
    await client.patch(leases, key, { type: 'merge', body: { spec: { holderIdentity: node, renewTime } } }, { signal })
  } catch (error) {
    if (!isNotFound(error)) throw error
    await client.create(leases, newLease(renewal, renewTime), { signal })
  }
  return true
}

function newLease({ node, nodeUid }: LeaseRenewal, renewTime: string): Lease {
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: {
      name: node,
      namespace: nodeLeaseNamespace,
      ...(nodeUid === undefined ? {} : { ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: node, uid: nodeUid }] }),
    },
    spec: { holderIdentity: node, leaseDurationSeconds: nodeLeaseSeconds, renewTime },
  }
}
