import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { HyperConverged } from '#api/hco/v1/hyperconverged.ts'
import { forbidden, internalError, invalid, notFound, StatusError } from '#apimachinery/errors.ts'
import { hyperConvergeds } from '#api/hco/v1/resources.ts'
import { overridesOf } from '../../configuration/overrides/override.ts'
import { renderComponent } from '../../configuration/overrides/render-component.ts'
import { components } from '../../components/rendering/components.ts'
import { keptGatesOf } from '../../configuration/gates/gate-defaults.ts'
import type { Outcome } from '../../reconcile/act.ts'
import { patchesAnnotation } from '../upgrade/journal.ts'
import { configurationOf, configuringAnnotations, revisionOf, withConfiguration } from './configuration.ts'
import { judge, rolledBackEdit, usableConfiguration } from './decide.ts'
import type { LastApplied } from './last-applied.ts'
import { onFailureAnnotation, onFailureProblems } from './on-failure.ts'
import { isRefusal } from './refusal.ts'

const objectOf = (progressTimeout: number, annotations: Readonly<Record<string, string>> = {}, configuration?: object): HyperConverged =>
  ({
    metadata: { name: 'h', uid: 'u', generation: 7, annotations: { [onFailureAnnotation]: 'RollBack', ...annotations } },
    spec: { virtualization: { liveMigrationConfig: { progressTimeout } } },
    ...(configuration === undefined ? {} : { status: { steadyvm: { configuration } } }),
  }) as HyperConverged
const revision = (progressTimeout: number, annotations: Readonly<Record<string, string>> = {}): string =>
  revisionOf(configurationOf(objectOf(progressTimeout, annotations)))
const retry = { [onFailureAnnotation]: 'Retry' }

test('a refusal holds until the next edit of what configures components', () => {
  const refused = (of: string): object => ({ rolledBack: { generation: 7, revision: of, component: 'cdi', message: 'no' } })
  const rows: readonly (readonly [string, HyperConverged, boolean])[] = [
    ['the refused edit', objectOf(1, {}, refused(revision(1))), true],
    ['with another note', objectOf(1, { note: 'x' }, refused(revision(1))), true],
    ['another spec', objectOf(2, {}, refused(revision(1))), false],
    ['another patch', objectOf(1, { 'kubevirt.kubevirt.io/jsonpatch': '[]' }, refused(revision(1))), false],
    ['roll-back is no longer asked for', objectOf(1, retry, refused(revision(1))), false],
    ['none was refused', objectOf(1, {}, {}), false],
    ['no status', objectOf(1), false],
  ]
  for (const [name, object, expected] of rows) assert.equal(rolledBackEdit(object) !== undefined, expected, name)
})

test('a stored configuration is used only if it is the last one that all components had', () => {
  const first: LastApplied = { ...configurationOf(objectOf(1)), uid: 'u', generation: 6, revision: 'r2' }
  const last = (more: Partial<LastApplied> = {}): LastApplied => ({ ...first, follows: 'r1', ...more })
  const rows: readonly (readonly [string, LastApplied | undefined, string | undefined, boolean])[] = [
    ['the status tells of it', last(), 'r2', true],
    ['the operator was killed before the status', last(), 'r1', true],
    ['another one was applied later', last(), 'r3', false],
    ['the status tells of none', last(), undefined, false],
    ['it is the first one, and the operator was killed before the status', first, undefined, true],
    ['it is of an object of the same name', last({ uid: 'former' }), 'r2', false],
    ['there is none', undefined, undefined, false],
  ]
  for (const [name, stored, known, expected] of rows) {
    const object = objectOf(9, {}, known === undefined ? undefined : { revision: known })
    assert.equal(usableConfiguration(object, stored) !== undefined, expected, name)
  }
})

test('outcomes are judged', () => {
  const outcome = (step: string, more: Partial<Outcome> = {}, problems: readonly object[] = []): Outcome =>
    ({
      decision: { observed: { component: { name: 'cdi' } }, step: { kind: step }, problems, overrides: [] },
      ...more,
    }) as unknown as Outcome
  const rows: readonly (readonly [string, readonly Outcome[], string])[] = [
    ['all is applied', [outcome('keep'), outcome('apply'), outcome('absent'), outcome('not-wanted')], 'applied'],
    ['one is not known yet', [outcome('keep'), outcome('wait')], 'failed'],
    ['one cannot answer', [outcome('apply', { error: 'down' })], 'failed'],
    ['one refuses', [outcome('apply', { error: 'down' }), outcome('apply', { error: 'no', isRefused: true })], 'refused cdi no'],
    ['one cannot be rendered', [outcome('apply', {}, [{ field: 'spec.a', message: 'is wrong' }])], 'refused cdi spec.a is wrong'],
  ]
  for (const [name, outcomes, expected] of rows) {
    const verdict = judge(objectOf(1), outcomes)
    assert.equal(verdict.kind === 'refused' ? `refused ${verdict.edit.component} ${verdict.edit.message}` : verdict.kind, expected, name)
    if (verdict.kind === 'refused') assert.equal(judge(objectOf(1, retry), outcomes).kind, 'failed', name)
  }
})

test('an answer about the object is told from a failure to ask', () => {
  const rows: readonly (readonly [unknown, boolean])[] = [
    [invalid(hyperConvergeds, 'x', []), true],
    [forbidden(hyperConvergeds, 'x', 'a policy says no'), true],
    [notFound(hyperConvergeds, 'x'), false],
    [internalError('failed calling webhook'), false],
    [new StatusError({ ...internalError('x').status, message: 'failed to create typed patch object: .spec.x: field not declared' }), true],
    [new Error('socket hang up'), false],
  ]
  for (const [error, expected] of rows) assert.equal(isRefusal(error), expected, String(error))
  for (const code of [401, 408, 409, 429])
    assert.equal(isRefusal(new StatusError({ ...internalError('x').status, code })), false, String(code))
})

suite('configurations', () => {
  test('the annotations of a configuration are those from which components are rendered', () => {
    const read = new Set<string>()
    const annotations = new Proxy<Record<string, string>>({}, { get: (_target, name) => void read.add(String(name)) })
    const hyperconverged = {
      metadata: { name: 'h', annotations },
      spec: { virtualization: { tuningPolicy: 'annotation' } },
    } as unknown as HyperConverged
    const nodes = { workloadArchitectures: [], controlPlaneArchitectures: [], defaultArchitecture: undefined, controlPlanes: 0, workers: 0 }
    const overrides = overridesOf(hyperconverged, [], 0)
    const upgraded = { ...hyperconverged, status: { steadyvm: { gateDefaults: [] } } }
    keptGatesOf(upgraded, 'v1.0.0')
    for (const component of components)
      renderComponent(component, { hyperconverged, nodes, version: '', namespace: '', environment: {}, overrides })
    // It tells where values come from, and changes none.
    read.delete(patchesAnnotation)
    assert.deepEqual([...read].toSorted(), configuringAnnotations.toSorted())
  })

  test('an object gets the configuration of another one, and keeps its notes', () => {
    const patch = { 'kubevirt.kubevirt.io/jsonpatch': '[]' }
    const now = objectOf(2, { ...patch, note: 'x' })
    const back = withConfiguration(now, configurationOf(objectOf(1, { deployOVS: 'true' })))
    assert.equal(revisionOf(configurationOf(back)), revision(1, { deployOVS: 'true' }))
    assert.deepEqual(back.metadata.annotations, { [onFailureAnnotation]: 'RollBack', note: 'x', deployOVS: 'true' })
    assert.notEqual(revision(1, patch), revision(1))
    assert.equal(revision(1, { note: 'x' }), revision(1))
  })
})

test('an unknown value of the annotation is refused', () => {
  for (const [value, count] of [
    ['RollBack', 0],
    ['Retry', 0],
    ['rollback', 1],
    ['', 1],
  ] as const)
    assert.equal(onFailureProblems(objectOf(1, { [onFailureAnnotation]: value })).length, count, value)
  assert.deepEqual(onFailureProblems({ metadata: { name: 'h' } }), [])
})
