import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import type { Deployment } from '#api/apps/v1/deployment.ts'
import type { ReplicaSet } from '#api/apps/v1/replica-set.ts'
import { rolloutLimits } from './rollout-limits.ts'
import { decideDeployment } from './decide.ts'
import { totalSize } from './replica-sets.ts'

const nowMs = Date.UTC(2026, 0, 1)
const now = '2026-01-01T00:00:00Z'

/**
 * Model of a Deployment with existing and available pods by ReplicaSet. The status of a ReplicaSet
 * is as old as its last sync.
 */
class Model {
  deployment: Deployment
  sets: ReplicaSet[] = []
  readonly pods = new Map<string, number>()
  readonly available = new Map<string, number>()

  constructor(replicas: number, maxSurge: number | string, maxUnavailable: number | string) {
    const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } }
    const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'main', image: 'a:0' }] } }
    this.deployment = {
      metadata: { name: 'd', namespace: 'n', uid: 'd', generation: 1 },
      spec: { replicas, strategy, selector: {}, template },
    }
  }

  change(image: string): void {
    const { metadata, spec } = this.deployment
    const template = { ...spec.template, spec: { containers: [{ name: 'main', image }] } }
    this.deployment = {
      ...this.deployment,
      metadata: { ...metadata, generation: (metadata.generation ?? 0) + 1 },
      spec: { ...spec, template },
    }
  }

  decide(): void {
    const { changes, status } = decideDeployment({ deployment: this.deployment, replicaSets: this.sets, withPods: new Set() }, nowMs, now)
    for (const change of changes) {
      const { name = '' } = change.replicaSet.metadata
      if (change.kind === 'create') {
        const created = {
          ...change.replicaSet,
          metadata: { ...change.replicaSet.metadata, uid: name, creationTimestamp: stamp(this.sets.length) },
        }
        this.sets.push(created)
      } else if (change.kind === 'delete') this.sets = this.sets.filter(({ metadata }) => metadata.name !== name)
      else this.sets = this.sets.map((one) => (one.metadata.name === name ? applied(one, change) : one))
    }
    this.deployment = { ...this.deployment, status }
  }

  /**
   * A ReplicaSet makes and deletes pods, those first that do not serve, and says how many there
   * are.
   */
  look(index: number): void {
    const set = this.sets[index % Math.max(1, this.sets.length)]
    if (set === undefined) return
    const { name = '' } = set.metadata
    const replicas = set.spec.replicas ?? 0
    this.pods.set(name, replicas)
    this.available.set(name, Math.min(replicas, this.available.get(name) ?? 0))
    const status = { replicas, availableReplicas: this.available.get(name) ?? 0, observedGeneration: 0 }
    this.sets = this.sets.map((one) => (one === set ? { ...one, status } : one))
  }

  ready(index: number): void {
    const { name = '' } = this.sets[index % Math.max(1, this.sets.length)]?.metadata ?? {}
    this.available.set(name, Math.min(this.pods.get(name) ?? 0, (this.available.get(name) ?? 0) + 1))
  }

  serving(): number {
    return [...this.available.values()].reduce((sum, count) => sum + count, 0)
  }

  settle(): void {
    for (let round = 0; round < 100; round++) {
      this.decide()
      for (const index of this.sets.keys()) {
        this.look(index)
        this.ready(index)
        this.look(index)
      }
    }
  }
}

function stamp(index: number): string {
  return new Date(nowMs + index * 1000).toISOString()
}

function applied(set: ReplicaSet, change: { annotations?: Readonly<Record<string, string>>; replicas?: number }): ReplicaSet {
  const replicas = change.replicas ?? set.spec.replicas ?? 0
  const annotations = { ...set.metadata.annotations, ...change.annotations }
  return { ...set, metadata: { ...set.metadata, annotations }, spec: { ...set.spec, replicas } }
}

const amount = fc.oneof(fc.nat(3), fc.constantFrom('0%', '25%', '50%', '100%'))
const step = fc.oneof(
  { weight: 6, arbitrary: fc.constant({ kind: 'decide' as const, index: 0 }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('look' as const), index: fc.nat(4) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('ready' as const), index: fc.nat(4) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('change' as const), index: fc.nat(3) }) },
)

suite('a rollout under any order of events', () => {
  test('respects maxSurge and maxUnavailable, and completes', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 8 }),
        amount,
        amount,
        fc.array(step, { minLength: 30, maxLength: 80 }),
        (replicas, surge, unavailable, steps) => {
          const model = new Model(replicas, surge, unavailable)
          model.settle()
          assert.equal(model.serving(), replicas)
          const bounds = rolloutLimits(model.deployment)
          for (const { kind, index } of steps) {
            if (kind === 'change') model.change(`a:${index}`)
            else model[kind](index)
            assert.ok(totalSize(model.sets) <= replicas + bounds.surge, 'too many pods')
            assert.ok(model.serving() >= replicas - bounds.unavailable, 'too few pods serve')
          }
          model.settle()
          const image = model.deployment.spec.template.spec.containers[0]?.image
          const left = model.sets.filter(({ spec }) => (spec.replicas ?? 0) > 0)
          assert.deepEqual(
            left.map(({ spec }) => [spec.template?.spec.containers[0]?.image, spec.replicas]),
            [[image, replicas]],
          )
        },
      ),
      { numRuns: 200 },
    )
  })
})
