import assert from 'node:assert/strict'
import { deployments } from '#api/apps/v1/resources.ts'
import type { Deployment } from '#api/apps/v1/deployment.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { nodes, pods } from '#api/core/v1/resources.ts'
import { findCondition, isTrue } from '#apimachinery/conditions.ts'
import { names } from '#features/vmi/index.ts'
import { versionOf } from './kubelets.ts'
import type { Commit } from './store.ts'
import type { Environment } from './environment.ts'

/**
 * Asserts the rollout order at every write of the operator: one node first, then a few at a time,
 * and the components in their order.
 */
export class RolloutChecker {
  /** Highest number of agents that were replaced at a time. */
  most = 0
  readonly #environment: Environment
  readonly #soakMs: number
  readonly #agents = new Map<string, Pod>()
  readonly #replaced = new Set<string>()
  /** First times at which agents were ready, in whole seconds, from their pods. */
  readonly #readySince = new Map<string, number>()

  constructor(environment: Environment, { soakMs }: { readonly soakMs: number }) {
    this.#environment = environment
    this.#soakMs = soakMs
    environment.api.store.listeners.add((commit) => {
      try {
        this.#see(commit)
      } catch (error) {
        environment.fail(error)
      }
    })
  }

  #see({ resource, actor, before, after }: Commit): void {
    if (resource.plural === deployments.plural && after !== undefined) return this.#seeDeployment(after as Deployment)
    const pod = (after ?? before) as Pod
    if (resource.plural !== pods.plural || pod.metadata.labels?.[names.appLabel] !== 'virt-handler') return
    const { nodeName = '' } = pod.spec
    if (after === undefined) this.#agents.delete(nodeName)
    else this.#agents.set(nodeName, pod)
    const ready = findCondition(pod.status?.conditions, 'Ready')
    const uid = pod.metadata.uid ?? ''
    if (ready?.status === 'True' && !this.#readySince.has(uid)) this.#readySince.set(uid, Date.parse(ready.lastTransitionTime ?? ''))
    if (before === undefined) this.#seeNewAgent(pod)
    if (ready?.status === 'True' && pod.metadata.deletionTimestamp === undefined) this.#replaced.delete(nodeName)
    if (actor === 'virt-operator' && (after === undefined || pod.metadata.deletionTimestamp !== undefined)) this.#seeRemoval(before as Pod)
  }

  /** Asserts that the first agent of a version is alone until its soak time is over. */
  #seeNewAgent(pod: Pod): void {
    const alike = [...this.#agents.values()].filter((other) => versionOf(other) === versionOf(pod))
    if (alike.length === 1 || alike.length === this.#agents.size) return
    const proved = alike.some(({ metadata }) => {
      const since = this.#readySince.get(metadata.uid ?? '')
      return since !== undefined && since + this.#soakMs <= this.#environment.clock.now()
    })
    assert.ok(proved, `a second agent of ${versionOf(pod)} before the first has proved itself`)
  }

  #seeRemoval({ spec, status }: Pod): void {
    if (!isTrue(status?.conditions, 'Ready')) return
    const ready = [...this.#environment.api.store.all(nodes)].filter((node) => isTrue(node.status?.conditions, 'Ready'))
    const allowed = Math.max(1, Math.floor(ready.length / 10))
    // The rollout does not wait for nodes without heartbeat, or deleted ones.
    const waitedFor = new Set(ready.map(({ metadata }) => metadata.name))
    for (const name of this.#replaced) if (!waitedFor.has(name)) this.#replaced.delete(name)
    this.#replaced.add(spec.nodeName ?? '')
    this.most = Math.max(this.most, this.#replaced.size)
    assert.ok(this.#replaced.size <= allowed, `${this.#replaced.size} agents are replaced at a time`)
  }

  #seeDeployment(deployment: Deployment): void {
    const version = versionOf(deployment.spec.template as Pod)
    const name = deployment.metadata.name ?? ''
    const ready = [...this.#environment.api.store.all(nodes)].filter((node) => isTrue(node.status?.conditions, 'Ready'))
    const behind = ready.filter(({ metadata }) => {
      const agent = this.#agents.get(metadata.name ?? '')
      return agent !== undefined && versionOf(agent) < version
    })
    assert.equal(behind.length, 0, `${name} goes to ${version} before ${behind.length} agents`)
    if (name !== 'virt-api') return
    const controller = this.#environment.api.store.get(deployments, { namespace: 'kubevirt', name: 'virt-controller' })
    assert.ok(controller === undefined || versionOf(controller.spec.template as Pod) >= version, 'virt-api goes before virt-controller')
  }
}
