import assert from 'node:assert/strict'
import { nodes, pods } from '#api/core/v1/resources.ts'
import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import { kubeVirts, virtualMachineInstanceMigrations, virtualMachineInstances } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { podDisruptionBudgets } from '#api/policy/v1/resources.ts'
import { findCondition } from '#apimachinery/conditions.ts'
import { names } from '#features/vmi/index.ts'
import { Checker } from './checker.ts'
import { Cluster } from './cluster.ts'
import { ControlPlane } from './control-plane.ts'
import { Faults } from './faults.ts'
import { createCluster, populate, type Size } from './fleet.ts'
import { Kubelets, versionOf } from './kubelets.ts'
import { failureRateLabel } from './migration-protocol.ts'
import { unmovableLabel } from './node-agent.ts'
import { RolloutChecker } from './rollout-checker.ts'
import { Environment } from './environment.ts'

const soakMs = 15_000

/**
 * A cluster of simulated nodes and guests, with the real virt-operator and virt-controller, on a
 * virtual clock.
 */
export class Simulation {
  readonly environment: Environment
  readonly kubelets: Kubelets
  readonly plane: ControlPlane
  readonly checker: Checker
  readonly rollout: RolloutChecker
  readonly #cluster: Cluster
  readonly #size: Size

  /** `checked`: limits to check instead of the configured ones, for tests of the checker. */
  constructor(seed: number, size: Size, checked: Partial<Size> = {}) {
    this.#size = size
    this.environment = new Environment(seed)
    this.#cluster = new Cluster(this.environment, { room: Math.ceil((size.guests / size.nodes) * 1.5) + 4 })
    this.kubelets = new Kubelets(this.environment)
    this.plane = new ControlPlane(this.environment, { soakMs })
    this.checker = new Checker(this.environment, { ...size, ...checked }, this.kubelets)
    this.rollout = new RolloutChecker(this.environment, { soakMs })
  }

  get kubevirt(): KubeVirt {
    const found = this.environment.api.store.get(kubeVirts, { namespace: 'kubevirt', name: 'kubevirt' })
    assert.ok(found !== undefined)
    return found
  }

  get guests(): readonly VirtualMachineInstance[] {
    return [...this.environment.api.store.all(virtualMachineInstances)]
  }

  /** Installs v1.0.0 and creates all guests. */
  async install(): Promise<void> {
    createCluster(this.environment, this.#size)
    this.plane.startOperator()
    await this.until('v1.0.0 is installed', 10, () => this.isAt('v1.0.0'))
    populate(this.environment, this.#size)
  }

  ask(imageTag: string): void {
    const key = { namespace: 'kubevirt', name: 'kubevirt' }
    this.environment.api.patch('administrator', kubeVirts, key, { type: 'merge', body: { spec: { imageTag } } })
  }

  /**
   * Reports whether all components have a version. Guests, and objects that only the former version
   * needs, may still be left.
   */
  isAt(version: string): boolean {
    const { observedKubeVirtVersion, steadyvm } = this.kubevirt.status ?? {}
    return observedKubeVirtVersion === version && ['Workloads', 'Contract', undefined].includes(steadyvm?.upgrade?.stage)
  }

  /** Starts the injection of faults. */
  faults(): Faults {
    return new Faults({ environment: this.environment, cluster: this.#cluster, kubelets: this.kubelets, plane: this.plane })
  }

  /**
   * Advances the clock until a condition holds. Fails after the limit in minutes, or at the first
   * error.
   */
  async until(what: string, minutes: number, holds: () => boolean): Promise<void> {
    const { clock } = this.environment
    const end = clock.now() + minutes * 60_000
    // Looked at once a second, since there is much to look at.
    let isHeld = holds()
    while (!isHeld && clock.now() < end) {
      await clock.advance(1_000)
      if (this.environment.failure !== undefined) throw this.environment.failure
      isHeld = holds()
    }
    assert.ok(isHeld, `not within ${minutes} minutes: ${what}; ${JSON.stringify(this.kubevirt.status?.steadyvm)}`)
  }

  /** Reports whether every guest that can move has a version, and no migration is active. */
  isQuietAt(version: string): boolean {
    const { store } = this.environment.api
    for (const vmi of store.all(virtualMachineInstances)) {
      const isThere =
        vmi.status?.launcherContainerImageVersion?.endsWith(`:${version}`) === true || isGone(vmi) || isStuck(vmi) || isGivenUp(vmi)
      if (!isThere || vmi.status?.phase === 'Scheduled' || vmi.status?.phase === 'Scheduling') return false
    }
    for (const { status } of store.all(virtualMachineInstanceMigrations)) {
      if (status?.phase !== 'Succeeded' && status?.phase !== 'Failed') return false
    }
    return true
  }

  /** Asserts the invariants of a cluster without work. */
  assertSettled(version: string): void {
    const { store } = this.environment.api
    const { hypervisor } = this.environment
    const behind = this.guests.filter((vmi) => isBehind(vmi, version))
    const moving = new Set(
      [...store.all(virtualMachineInstanceMigrations)].flatMap(({ spec, status }) =>
        status?.phase === 'Succeeded' || status?.phase === 'Failed' ? [] : [spec.vmiName],
      ),
    )
    for (const vmi of this.guests) {
      const { name, uid = '', labels = {} } = vmi.metadata
      // A guest with many failures is retried periodically, without an end.
      if (isGivenUp(vmi) && moving.has(name)) continue
      const owned = store.dependentsOf(uid)
      const launchers = owned.flatMap(({ resource, key }) => (resource.plural === pods.plural ? (store.get(pods, key) ?? []) : []))
      assert.equal(labels[names.migrationTargetLabel], undefined, `${name} is still to go somewhere`)
      if (isGone(vmi)) continue
      assert.equal(launchers.length, 1, `launchers of ${name}`)
      const qemus = hypervisor.ofGuest(uid)
      assert.deepEqual(
        qemus.map(({ state, node }) => [state, node]),
        [['running', vmi.status?.nodeName]],
        `QEMUs of ${name}`,
      )
      assert.equal(launchers[0]?.spec.nodeName, vmi.status?.nodeName, `where ${name} is`)
      assert.equal(
        versionOf(launchers[0] as Parameters<typeof versionOf>[0]),
        isBehind(vmi, version) ? 'v1.0.0' : version,
        `release of ${name}`,
      )
      assert.ok(!isBehind(vmi, version) || isStuck(vmi) || isGivenUp(vmi), `${name} stays behind`)
      const budgets = owned.flatMap(({ resource, key }) =>
        resource.plural === podDisruptionBudgets.plural ? (store.get(podDisruptionBudgets, key)?.spec?.minAvailable ?? 0) : [],
      )
      assert.deepEqual(budgets, vmi.spec.evictionStrategy === 'None' ? [] : [1], `budgets of ${name}`)
      assert.equal(labels['kubevirt.io/outdatedLauncherImage'] !== undefined, isBehind(vmi, version), `whether ${name} is called outdated`)
    }
    const ofGuests = Map.groupBy(store.all(virtualMachineInstanceMigrations), ({ spec }) => spec.vmiName)
    for (const [guest, all] of ofGuests) assert.ok(all.length <= 6, `${all.length} migrations of ${guest} are kept`)
    for (const { metadata } of store.all(nodes)) assert.equal(metadata.labels?.[names.schedulableLabel], 'true', metadata.name ?? '')
    assert.equal(this.kubevirt.status?.outdatedVirtualMachineInstanceWorkloads ?? 0, behind.length)
  }
}

/** Reports whether a guest can neither be migrated nor stopped. */
export function isStuck({ metadata, spec }: VirtualMachineInstance): boolean {
  return metadata.labels?.[unmovableLabel] !== undefined && spec.evictionStrategy !== 'None'
}

/** Reports whether a guest was lost with its node, and is not started again. */
export function isGone({ status }: VirtualMachineInstance): boolean {
  return status?.phase === 'Failed' || status?.phase === 'Succeeded'
}

/**
 * Reports whether the updates of a guest failed so often that they are suspended or delayed, and
 * the VMI reports it.
 */
function isGivenUp({ metadata, status }: VirtualMachineInstance): boolean {
  const reason = findCondition(status?.conditions, 'steadyvm.io/UpdatePending')?.reason ?? ''
  return metadata.labels?.[failureRateLabel] !== undefined && ['ClassStopped', 'Backoff', 'WaitingForCanary', 'Migrating'].includes(reason)
}

/** Reports whether a guest runs in the launcher of another release. */
export function isBehind(vmi: VirtualMachineInstance, version: string): boolean {
  return !isGone(vmi) && vmi.status?.launcherContainerImageVersion?.endsWith(`:${version}`) !== true
}
