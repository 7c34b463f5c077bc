import type { VirtualMachineInstanceMigrationState } from '#api/kubevirt/v1/migration-state.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { names } from '#features/vmi/index.ts'
import { migrationRoleOf } from '#features/node-agent/migration/role.ts'
import { patchMigrationState, type MigrationStatePatch } from '#features/node-agent/migration/migration-state.ts'
import type { Qemu } from './hypervisor.ts'
import type { NodeAgent } from './node-agent.ts'

/**
 * Milliseconds until the next step; undefined when there is nothing to wait for, `none` when the
 * guest does not migrate.
 */
type Again = number | undefined | 'none'

interface Moving {
  readonly agent: NodeAgent
  readonly vmi: VirtualMachineInstance
  readonly state: VirtualMachineInstanceMigrationState
}

/** Label of a VMI with the failure rate of its migrations, in percent. */
export const failureRateLabel = 'simulation/cursed'

/**
 * Runs one step of an agent for a migrating guest: the protocol of both agents in the VMI's status,
 * with simulated QEMUs.
 */
export function stepOf(agent: NodeAgent, vmi: VirtualMachineInstance): Promise<Again> | Again {
  const move = migrationRoleOf(vmi, agent.node)
  if (move === undefined) return 'none'
  const moving = { agent, vmi, state: move.state }
  if (move.role === 'source') return leave(moving)
  return move.role === 'target' ? come(moving) : arrive(moving)
}

async function leave(moving: Moving): Promise<Again> {
  const { agent, vmi, state } = moving
  const { hypervisor } = agent.environment
  const qemu = hypervisor.get(agent.launcher(vmi.metadata.namespace ?? '', state.sourcePod)?.metadata.uid ?? '')
  const [own, theirs] = [state.sourceState?.steadyvm, state.targetState?.steadyvm]
  if (qemu === undefined) {
    if (state.targetNodeAddress === undefined || theirs?.gone !== undefined) return fail(moving, 'the source QEMU has ended')
    if (own?.gone !== true) await tell(moving, { sourceState: { steadyvm: { gone: true } } })
    return undefined
  }
  if (own?.released === true && theirs?.gone === undefined) return undefined
  if (own?.launch === undefined) return (await tell(moving, { sourceState: { steadyvm: { launch: '{"runs":true}' } } }), 5)
  if (theirs?.gone !== undefined) return takeBack(moving, qemu, theirs.gone)
  if (state.targetNodeAddress === undefined) return state.abortRequested === true ? fail(moving, 'the migration was aborted') : undefined
  if (state.startTimestamp === undefined || state.startTimestamp === null) {
    return (await tell(moving, { startTimestamp: agent.environment.now(), mode: 'PreCopy' }), 5)
  }
  return drive(moving, qemu)
}

async function drive(moving: Moving, qemu: Qemu): Promise<Again> {
  const { agent, vmi, state } = moving
  const { hypervisor, seeded, clock } = agent.environment
  const stream = qemu.stream?.migration === state.migrationUid ? qemu.stream : undefined
  if (stream?.state === 'completed') return (await tell(moving, { sourceState: { steadyvm: { released: true } } }), undefined)
  if (stream?.state === 'failed') return fail(moving, 'the stream broke')
  if (state.abortRequested === true) {
    if (stream !== undefined) stream.state = 'failed'
    return fail(moving, 'the migration was aborted')
  }
  if (stream !== undefined) return Math.min(2_000, Math.max(5, stream.endsAt - clock.now()))
  const targets = hypervisor.ofGuest(vmi.metadata.uid ?? '').filter(({ node, state: is }) => node === state.targetNode && is === 'incoming')
  const [target] = targets
  if (target === undefined) return fail(moving, 'the target does not answer')
  const fails = seeded.below(100) < Number(vmi.metadata.labels?.[failureRateLabel] ?? 2)
  hypervisor.stream(qemu, target, { migration: state.migrationUid ?? '', ms: 4_000 + seeded.below(26_000), fails })
  return 1_000
}

async function takeBack(moving: Moving, qemu: Qemu, reason: string): Promise<Again> {
  if (qemu.stream?.state === 'flows') qemu.stream.state = 'failed'
  if (qemu.state === 'paused') moving.agent.environment.hypervisor.run(qemu)
  return fail(moving, reason)
}

async function fail({ agent, vmi, state }: Moving, failureReason: string): Promise<Again> {
  const active = Object.entries(vmi.status?.activePods ?? {}).map(([uid, at]) => [uid, at === agent.node ? at : null] as const)
  const abort = state.abortRequested === true ? { abortStatus: 'Succeeded' } : {}
  await tell(
    { agent, vmi, state },
    { completed: true, failed: true, endTimestamp: agent.environment.now(), failureReason, ...abort, sourceState: { steadyvm: null } },
    { status: { activePods: Object.fromEntries(active) } },
  )
  return undefined
}

async function come(moving: Moving): Promise<Again> {
  const { agent, vmi, state } = moving
  const { hypervisor, seeded } = agent.environment
  const pod = agent.launcher(vmi.metadata.namespace ?? '', state.targetPod)
  const [own, theirs] = [state.targetState?.steadyvm, state.sourceState?.steadyvm]
  const uid = pod?.metadata.uid ?? ''
  if (pod === undefined || own?.gone !== undefined) return undefined
  const qemu = hypervisor.get(uid)
  if (qemu === undefined && hypervisor.wasLaunched(uid)) {
    return (await tell(moving, { targetState: { steadyvm: { gone: 'the target QEMU has ended' } } }), undefined)
  }
  if (qemu === undefined) {
    if (theirs?.launch === undefined || pod.status?.phase !== 'Running') return undefined
    if (seeded.chance(0.005))
      return (await tell(moving, { targetState: { steadyvm: { gone: 'the guest cannot be had here' } } }), undefined)
    hypervisor.launch(uid, vmi.metadata.uid ?? '', agent.node, 'incoming')
    return 300 + seeded.below(900)
  }
  if (qemu.state === 'incoming' && theirs?.gone === true) {
    hypervisor.end(uid, 'its source has gone')
    return 100
  }
  if (qemu.state === 'incoming' && state.targetNodeAddress === undefined) {
    const address = { targetNodeAddress: '10.0.0.1', targetDirectMigrationNodePorts: { '49152': 1 }, targetNodeDomainDetected: true }
    return (await tell(moving, address), undefined)
  }
  if (qemu.state !== 'paused' || (theirs?.released !== true && theirs?.gone !== true)) return undefined
  const active = Object.keys(vmi.status?.activePods ?? {}).map((one) => [one, one === uid ? agent.node : null] as const)
  const image = pod.spec.containers[0]?.image ?? ''
  const owned = await tell(
    moving,
    { targetNodeDomainDetected: true },
    {
      labels: { [names.nodeNameLabel]: agent.node },
      status: {
        nodeName: agent.node,
        activePods: Object.fromEntries(active),
        evacuationNodeName: null,
        launcherContainerImageVersion: image,
      },
    },
  )
  return arrive({ agent, vmi: owned, state: owned.status?.migrationState ?? state })
}

/** Completes the migration: the guest runs on this node. */
async function arrive(moving: Moving): Promise<Again> {
  const { agent, vmi, state } = moving
  const pod = agent.launcher(vmi.metadata.namespace ?? '', state.targetPod)
  const qemu = agent.environment.hypervisor.get(pod?.metadata.uid ?? '')
  if (qemu === undefined) return 'none'
  if (qemu.state === 'paused') agent.environment.hypervisor.run(qemu)
  const now = agent.environment.now()
  await tell(moving, { targetNodeDomainReadyTimestamp: now, endTimestamp: now, completed: true, sourceState: { steadyvm: null } })
  return undefined
}

function tell(
  { agent, vmi }: Moving,
  word: MigrationStatePatch,
  also: Parameters<typeof patchMigrationState>[3] = {},
): Promise<VirtualMachineInstance> {
  return patchMigrationState({ client: agent.client }, vmi, word, also)
}
