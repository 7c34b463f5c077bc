import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { findCondition } from '#apimachinery/conditions.ts'
import { badRequest, conflict } from '#apimachinery/errors.ts'
import type { Client } from '#client/client.ts'
import type { StreamHandler } from '#runtime/aggregated/aggregated-group.ts'
import { getGuest, guestSubject } from './guest.ts'
import type { SubresourcesOptions } from './group.ts'
import { getMachine, virtualMachineSubject } from './virtual-machine-subject.ts'

/** Finds the guest of a request. @throws StatusError */
export type FindGuest = (client: Pick<Client, 'get'>, namespace: string, name: string) => Promise<VirtualMachineInstance>

/**
 * Handles `GET …/portforward/<port>[/<protocol>]`: a connection to a port of the guest's first
 * interface. Over UDP a message is a datagram.
 */
export function portForward(
  { client, agents, connections }: Pick<SubresourcesOptions, 'client' | 'agents' | 'connections'>,
  findGuest: FindGuest,
): StreamHandler {
  return async (request) => {
    const vmi = await findGuest(client, request.namespace, request.name)
    assertReachable(vmi)
    const [port = '', protocol = 'tcp'] = request.tail.split('/')
    if (port === '') throw badRequest('port must not be empty')
    const upgraded = await agents.connect(vmi, 'portforward', { ...request, query: new URLSearchParams({ port, protocol }) })
    const closed = connections?.opened('portforward', request.namespace, request.name)
    if (closed !== undefined) upgraded.socket.once('close', closed)
    return upgraded
  }
}

/** @throws StatusError in KubeVirt's words */
function assertReachable({ metadata: { name = '' }, status }: VirtualMachineInstance): void {
  if (findCondition(status?.conditions, 'Paused') !== undefined) throw conflict(guestSubject, name, 'VMI is paused')
  const [card] = status?.interfaces ?? []
  if (card === undefined) throw badRequest('no network interfaces are present')
  // KubeVirt would dial port of its own machine.
  if ((card.ipAddress ?? '') === '')
    throw badRequest(`interface "${card.name ?? ''}" has no address: the guest cannot be reached by a network`)
}

/** Finds the VMI of a VM. @throws StatusError in KubeVirt's words */
export const guestOfMachine: FindGuest = async (client, namespace, name) => {
  const vm = await getMachine(client, namespace, name)
  if (vm.status?.created !== true) throw conflict(virtualMachineSubject, name, 'VMI is not started')
  return getGuest(client, namespace, name)
}
