import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { durationMs } from '#apimachinery/cel/values/time.ts'
import { isTrue } from '#apimachinery/conditions.ts'
import { badRequest, conflict } from '#apimachinery/errors.ts'
import type { Client } from '#client/client.ts'
import { freezeLimitParameter, type AgentQuery } from '#features/guest-access/index.ts'
import type { AggregatedHandler, AggregatedRequest, StreamHandler } from '#runtime/aggregated/aggregated-group.ts'
import { getGuest, guestSubject } from './guest.ts'
import type { AgentDialer } from './agent-dialer.ts'
import type { SubresourcesOptions } from './group.ts'

/** Handles `GET virtualmachineinstances/<name>/console`, `…/vnc` or `…/usbredir`. */
export function guestStream(
  { client, agents, connections }: Pick<SubresourcesOptions, 'client' | 'agents' | 'connections'>,
  stream: 'console' | 'vnc' | 'usbredir',
): StreamHandler {
  return async (request) => {
    const vmi = await getGuest(client, request.namespace, request.name)
    assertions[stream](vmi)
    const upgraded = await agents.connect(vmi, stream, request)
    const closed = connections?.opened(stream, request.namespace, request.name)
    if (closed !== undefined) upgraded.socket.once('close', closed)
    return upgraded
  }
}

const assertions = { console: assertConsole, vnc: assertDisplay, usbredir: assertUsbRedirection }

/** Handles `GET virtualmachineinstances/<name>/vnc/screenshot`. */
export function screenshot(client: Pick<Client, 'get'>, agents: AgentDialer): AggregatedHandler {
  return async (request) => {
    const vmi = await getGuest(client, request.namespace, request.name)
    assertDisplay(vmi)
    return { code: 200, content: await agents.ask('GET', vmi, 'vnc/screenshot', request) }
  }
}

/** Handles `GET virtualmachineinstances/<name>/usage`: what the guest has used since its start. */
export function usage(client: Pick<Client, 'get'>, agents: AgentDialer): AggregatedHandler {
  return async (request) => ({
    code: 200,
    content: await agents.ask('GET', await runningGuest(client, request, 'VMI is not running'), 'usage', request),
  })
}

/**
 * Handles `PUT virtualmachineinstances/<name>/reset`: the guest starts anew at once, as by its
 * reset button. The VMI stays.
 */
export function reset(client: Pick<Client, 'get'>, agents: AgentDialer): AggregatedHandler {
  return async (request) => {
    const vmi = await getGuest(client, request.namespace, request.name)
    const { phase = '' } = vmi.status ?? {}
    if (phase !== 'Running') {
      const reason = `Unable to connect to VirtualMachineInstance because phase is ${phase} instead of Running or Scheduled`
      throw badRequest(`Failed to reset non-running VMI with phase ${phase}: ${reason}`)
    }
    await agents.ask('PUT', vmi, 'reset', request)
    return { code: 200 }
  }
}

/**
 * Handles `PUT virtualmachineinstances/<name>/softreboot`: the guest is asked to reboot. The VMI
 * stays.
 */
export function softReboot(client: Pick<Client, 'get'>, agents: AgentDialer): AggregatedHandler {
  return async (request) => {
    const vmi = await runningGuest(client, request, 'VM is not running')
    const refuse = (message: string): Error => conflict(guestSubject, request.name, message)
    const { status, spec } = vmi
    if (isTrue(status?.conditions, 'Paused')) throw refuse('VMI is paused')
    if (!isTrue(status?.conditions, 'AgentConnected') && spec.domain.features?.acpi?.enabled === false)
      throw refuse('VMI neither have the agent connected nor the ACPI feature enabled')
    await agents.ask('PUT', vmi, 'softreboot', request)
    return { code: 200 }
  }
}

/**
 * Handles `PUT virtualmachineinstances/<name>/freeze`: the agent in the guest freezes its file
 * systems, until `unfreeze` or the time-out of the request.
 */
export function freeze(client: Pick<Client, 'get'>, agents: AgentDialer): AggregatedHandler {
  return async (request) => {
    const vmi = await runningGuest(client, request, 'VM is not running')
    const limitMs = unfreezeLimitOf(request.body)
    await agents.ask('PUT', vmi, 'freeze', { ...request, query: new URLSearchParams({ [freezeLimitParameter]: String(limitMs) }) })
    return { code: 200 }
  }
}

/** Handles `PUT virtualmachineinstances/<name>/unfreeze`. */
export function unfreeze(client: Pick<Client, 'get'>, agents: AgentDialer): AggregatedHandler {
  return async (request) => {
    await agents.ask('PUT', await runningGuest(client, request, 'VMI is not running'), 'unfreeze', request)
    return { code: 200 }
  }
}

/** `refusal`: KubeVirt has two texts for the same. @throws StatusError 404, 409 */
async function runningGuest(
  client: Pick<Client, 'get'>,
  { namespace, name }: AggregatedRequest,
  refusal: string,
): Promise<VirtualMachineInstance> {
  const vmi = await getGuest(client, namespace, name)
  if (vmi.status?.phase !== 'Running') throw conflict(guestSubject, name, refusal)
  return vmi
}

/** Reads KubeVirt's `FreezeUnfreezeTimeout`. @throws StatusError 400 */
function unfreezeLimitOf(body: string): number {
  let parsed: unknown
  try {
    parsed = body.trim() === '' ? {} : JSON.parse(body)
  } catch {
    throw badRequest('failed to unmarshal unfreeze timeout')
  }
  const { unfreezeTimeout } = (parsed ?? {}) as { readonly unfreezeTimeout?: unknown }
  if (unfreezeTimeout === undefined || unfreezeTimeout === null) throw badRequest('Unfreeze timeout in freeze request is not set')
  const limitMs = typeof unfreezeTimeout === 'string' ? durationMs(unfreezeTimeout) : undefined
  if (limitMs === undefined || limitMs < 0) throw badRequest('failed to unmarshal unfreeze timeout: it must be a duration, as in "5m"')
  return limitMs
}

/** Handles `GET virtualmachineinstances/<name>/guestosinfo` and other questions to the agent. */
export function agentQuery(client: Pick<Client, 'get'>, agents: AgentDialer, query: AgentQuery): AggregatedHandler {
  return async (request) => {
    const vmi = await getGuest(client, request.namespace, request.name)
    if (vmi.status?.phase !== 'Running') throw conflict(guestSubject, request.name, 'VMI is not running')
    if (!isTrue(vmi.status.conditions, 'AgentConnected'))
      throw conflict(guestSubject, request.name, 'VMI does not have guest agent connected')
    return { code: 200, content: await agents.ask('GET', vmi, query, request) }
  }
}

/** @throws StatusError in KubeVirt's words. virtctl tries again after 400 only. */
export function assertConsole({ metadata: { name = '' }, spec, status }: VirtualMachineInstance): void {
  if (spec.domain.devices.autoattachSerialConsole === false) throw badRequest('No serial consoles are present.')
  if (status?.phase === 'Failed') throw conflict(guestSubject, name, 'VMI is in failed status')
  if (status?.phase !== 'Running') throw badRequest('VMI is not running')
}

/** @throws StatusError in KubeVirt's words */
export function assertDisplay({ spec, status }: VirtualMachineInstance): void {
  if (spec.domain.devices.autoattachGraphicsDevice === false) throw badRequest('No graphics devices are present.')
  if (status?.phase !== 'Running') throw badRequest('VMI is not running')
}

/** @throws StatusError in KubeVirt's words */
export function assertUsbRedirection({ metadata: { name = '' }, spec, status }: VirtualMachineInstance): void {
  if (spec.domain.devices.clientPassthrough === undefined) throw conflict(guestSubject, name, 'Not configured with USB Redirection')
  if (status?.phase !== 'Running') throw badRequest('VMI is not running')
}
