import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { VirtualMachineInstanceMigrationState } from '#api/kubevirt/v1/migration-state.ts'
import { newestKubectl, runCommand } from '../support/kubectl.ts'
import { textAt, type TestMachine } from '../support/machine.ts'
import type { Observation } from '../support/observers/when-observed.ts'

/** An operation of several steps on guests or on the system. */
export interface Operation {
  /** Steps in their order; each reports whether it is complete. */
  readonly steps: Readonly<Record<string, (observation: Observation) => boolean>>
  /**
   * Starts the operation. Returns a function that reports whether it is complete; it may fail while
   * the API server is down.
   */
  begin(): Promise<() => Promise<boolean>>
  /** Restores the state that the next operation needs. */
  end(): Promise<void>
}

const own = 'v0.1.0'
/** Version of a second release of the same programs. */
export const next = 'v0.2.0'

const some = <T>(map: ReadonlyMap<string, T>, test: (value: T) => boolean): boolean => [...map.values()].some(test)

/** Steps of a migration, of one guest or of one of several. */
const stepsOfMove: Operation['steps'] = {
  'a migration is created': ({ migrations }) => migrations.size > 0,
  'its target pod exists': ({ migrations }) => some(migrations, ({ status }) => !['', 'Pending'].includes(status?.phase ?? '')),
  'the migration state is in the VMI': (observation) => isMoving(observation, () => true),
  'the target is ready': (observation) => isMoving(observation, (state) => state.targetNodeAddress !== undefined),
  'the memory transfer has started': (observation) => isMoving(observation, (state) => (state.startTimestamp ?? null) !== null),
  'the guest runs on the target': ({ guests, migrations }) =>
    some(guests, ({ status }) => {
      const { migrationUid = '', targetNode } = status?.migrationState ?? {}
      return migrations.has(migrationUid) && status?.nodeName === targetNode
    }),
  'the migration has ended': ({ migrations }) => some(migrations, ({ status }) => ['Succeeded', 'Failed'].includes(status?.phase ?? '')),
}

function isMoving({ guests, migrations }: Observation, test: (state: VirtualMachineInstanceMigrationState) => boolean): boolean {
  return some(guests, ({ status }) => {
    const state = status?.migrationState
    return state !== undefined && migrations.has(state.migrationUid ?? '') && test(state)
  })
}

const isStage =
  (...stages: readonly string[]) =>
  ({ kubevirt }: Observation): boolean =>
    stages.includes(kubevirt?.status?.steadyvm?.upgrade?.stage ?? '')

/** Returns the four operations, for guests of these names on a machine with two nodes. */
export function operationsOf(
  machine: TestMachine,
  guests: readonly string[],
): Readonly<Record<'upgrade' | 'update' | 'migration' | 'drain', Operation>> {
  /** Returns a function that cycles through the guests. */
  const roundRobin = (): (() => string) => {
    let count = 0
    return () => guests[count++ % guests.length] ?? ''
  }
  const [toMove, toDrain] = [roundRobin(), roundRobin()]
  let wanted = own
  let drained = ''
  let refusal = ''
  const patch = (spec: object): Promise<string> =>
    machine.insist(['patch', 'kubevirt', 'kubevirt', '-n', 'kubevirt', '--type=merge', '-p', JSON.stringify({ spec })])
  const areOver = async (): Promise<boolean> => {
    const phases = await machine.kubectl(['get', 'vmim', '-o', 'jsonpath={range .items[*]}{.status.phase}{"\\n"}{end}'])
    return phases
      .split('\n')
      .every((phase, index, all) => phase === 'Succeeded' || phase === 'Failed' || (phase === '' && index === all.length - 1))
  }
  const none = async (): Promise<void> => {}
  return {
    upgrade: {
      steps: {
        'the preflight checks run': isStage('Preflight', 'NodeAgents', 'Controllers', 'API'),
        'the first component is replaced': isStage('NodeAgents', 'Controllers', 'API'),
        'the first agent is updated': ({ kubevirt }) => {
          const { stage, progress } = kubevirt?.status?.steadyvm?.upgrade ?? {}
          return stage === 'NodeAgents' && (progress?.updated ?? 0) > 0
        },
        'the controllers are replaced': isStage('Controllers'),
        'the API is replaced': isStage('API'),
        'all components are updated': isStage('Workloads', 'Contract'),
        'old objects are removed': isStage('Contract'),
      },
      async begin() {
        wanted = wanted === own ? next : own
        await patch({ imageTag: wanted })
        return async () => {
          const kubevirt = await machine.getJson('kubevirt', 'kubevirt', '-n', 'kubevirt')
          refusal = textAt(kubevirt, 'status.steadyvm.rejected.message')
          if (refusal !== '') return true
          return textAt(kubevirt, 'status.observedKubeVirtVersion') === wanted && textAt(kubevirt, 'status.steadyvm.upgrade.stage') === ''
        }
      },
      async end() {
        assert.equal(refusal, '', 'it was rolled back')
      },
    },
    update: {
      steps: {
        ...stepsOfMove,
        'the next migration is created': ({ migrations }) => new Set([...migrations.values()].map(({ spec }) => spec.vmiName)).size > 1,
      },
      async begin() {
        await patch({ workloadUpdateStrategy: { workloadUpdateMethods: ['LiveMigrate'] } })
        const path = 'jsonpath={range .items[*]}{.status.launcherContainerImageVersion}{"\\n"}{end}'
        return async () => {
          const images = (await machine.kubectl(['get', 'vmi', '-o', path])).trim().split('\n')
          return images.every((image) => image.endsWith(`:${wanted}`)) && (await areOver())
        }
      },
      async end() {
        await patch({ workloadUpdateStrategy: { workloadUpdateMethods: [] } })
      },
    },
    migration: {
      steps: stepsOfMove,
      async begin() {
        const migration = { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachineInstanceMigration', spec: { vmiName: toMove() } }
        await machine.insist(['create', '-f', '-'], JSON.stringify({ ...migration, metadata: { generateName: 'm-' } }))
        return areOver
      },
      end: none,
    },
    drain: {
      steps: {
        'a guest is to leave': ({ guests: all }) => some(all, ({ status }) => (status?.evacuationNodeName ?? '') !== ''),
        ...stepsOfMove,
      },
      async begin() {
        drained = textAt(await machine.getJson('vmi', toDrain()), 'status.nodeName')
        const args = ['drain', drained, '--ignore-daemonsets', '--delete-emptydir-data', '--timeout=240s']
        let isEmpty = false
        const draining = (async () => {
          // As a person would: when it is broken off, once more.
          for (let attempt = 0; attempt < 10 && !isEmpty; attempt++) {
            isEmpty = (await runCommand(newestKubectl().path, args, { env: machine.env, timeoutMs: 300_000 })).code === 0
            if (!isEmpty) await sleep(1_000)
          }
        })()
        return async () => {
          if (!isEmpty) return false
          await draining
          return areOver()
        }
      },
      async end() {
        await machine.insist(['uncordon', drained])
      },
    },
  }
}
