import { nodes } from '#api/core/v1/resources.ts'
import type { HyperConverged } from '#api/hco/v1/hyperconverged.ts'
import { hyperConvergeds } from '#api/hco/v1/resources.ts'
import { HyperConvergedSpec as schema } from '#api/hco/v1/schema.generated.ts'
import { kubeVirts } from '#api/kubevirt/v1/resources.ts'
import { componentOverrides } from '#api/steadyvm/v1alpha1/resources.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import { isConflict } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import { isJsonObject } from '#apimachinery/own-property.ts'
import { applyDefaults } from '#apimachinery/structural/transform/default.ts'
import type { AdmissionPlugin } from '#apiserver/admission/chain.ts'
import { found } from '#client/found.ts'
import { crashingClient, type CrashPoint } from '#features/crashing-client.fixture.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import { convertHyperConverged } from '../conversion/convert.ts'
import { featureGateRows, type FeatureGateRow } from '../gates/feature-gates.ts'
import { listedGates } from '../gates/read-gates.ts'
import { hyperConvergedKey } from '../../names.ts'
import { startPlatform, type Platform, type TestRelease } from '../../reconcile/platform.fixture.ts'
import { config, fieldCases, type FieldCase } from '../../components/rendering/field-cases.fixture.ts'
import type { ValueSource } from '../../components/rendering/value-source.ts'
import { startsWith, valueAt, withoutValueAt, withValueAt } from '../../value-at.ts'
import { admissionPlugin, oldClient } from '../../webhooks/admission-plugin.fixture.ts'
import { explainHyperConverged, type ExplainedValue } from './why.ts'

/** What a user has asked for, and what else the objects depend on. */
export interface Wanted {
  /** Values that the user has set, by the path of the field below the spec. */
  readonly fields: Map<string, unknown>
  /** Fields that the user has set before: a default of creations does not come back. */
  readonly touched: Set<string>
  /** Gates that the user lists. */
  readonly gates: Map<string, boolean>
  readonly overrides: Set<OverrideName>
  /** Values that upgrade patches have set, by the path of the field, until the user sets it. */
  readonly patched: Map<string, PatchedValue>
  /** Number of upgrades so far. */
  upgrades: number
  nodes: number
  /** Changes of components by others since the operator has started. */
  rivals: number
}

/** Value that a patch has set. */
export interface PatchedValue {
  /** Id of the patch. */
  readonly patch: string
  readonly value: unknown
}

/** Starts as an object that a user has created empty. */
export function nothingWanted(): Wanted {
  return {
    fields: new Map(),
    touched: new Set(),
    gates: new Map(),
    overrides: new Set(),
    patched: new Map(),
    upgrades: 0,
    nodes: 1,
    rivals: 0,
  }
}

const installed = ['kubevirt', 'cdi', 'network-addons', 'ssp']

/** Fields that a user sets, with their values. Those of boot images have defaults of their own. */
export const settings: readonly (readonly [field: string, value: unknown])[] = [
  ...new Map(fieldCases.filter(([field]) => !field.endsWith('dataImportCronTemplates')).map(([field, value]) => [field, value])),
  // Fields that v1beta1 does not have, and no component takes.
  ['observability.allowedAlerts', ['none']],
  ['deployment.deployNetworkResourcesInjector', false],
]

/** Gates whose only effect is the list of KubeVirt's gates. */
export const switchable: readonly FeatureGateRow[] = featureGateRows.filter(({ kubevirt }) => kubevirt?.on !== undefined)

/** Fields that have a default at the creation alone. */
const createdWith: ReadonlySet<string> = new Set(['virtualization.ksmConfiguration'])
const timeout = `${config}.migrations.progressTimeout`
const overrides = {
  'slow-storage': { component: 'kubevirt', target: timeout, value: 600 },
  tape: { component: 'cdi', target: 'config.scratchSpaceStorageClass', value: 'tape' },
} as const

export type OverrideName = keyof typeof overrides
export const overrideNames = Object.keys(overrides) as readonly OverrideName[]

/** Fields with a default of the schema, which each upgrade changes if the user has not set them. */
const patchedFields = [
  ['virtualization.liveMigrationConfig.progressTimeout', 150, 200],
  ['virtualization.vmiCPUAllocationRatio', 10, 20],
] as const

/** Values that the patches of the upgrade of a number set, by field; the ones before are tested. */
export function patchesOf(upgrade: number): ReadonlyMap<string, PatchedValue & { readonly before: number }> {
  return new Map(
    patchedFields.map(([field, initial, first]) => [
      field,
      { patch: `${field}-${upgrade}`, before: upgrade === 1 ? initial : first + upgrade - 1, value: first + upgrade },
    ]),
  )
}

function patchFileOf(upgrades: number): readonly object[] {
  return Array.from({ length: upgrades }, (_, index) => index + 1).flatMap((upgrade) =>
    [...patchesOf(upgrade)].map(([field, { patch, before, value }]) => {
      const path = `/spec/${field.replaceAll('.', '/')}`
      return {
        id: patch,
        semverRange: `<${versionOf(upgrade)}`,
        jsonPatch: [
          { op: 'test', path, value: before },
          { op: 'replace', path, value },
        ],
      }
    }),
  )
}

function versionOf(upgrades: number): string {
  return `1.${upgrades}.0`
}

function releaseOf(upgrades: number): TestRelease {
  return { version: `v${versionOf(upgrades)}`, patches: patchFileOf(upgrades), releases: [{ version: 'v0.1.0' }] }
}

/** The value and the sources of a target when the user has set nothing. */
interface Untouched {
  readonly value: unknown
  readonly sources: readonly string[]
}

/** A platform whose operator is edited, restarted and killed. */
export interface EditedPlatform extends AsyncDisposable {
  /** Sets a field, or removes it. */
  set(field: string, value: unknown): Promise<void>
  /** The same by a client of v1beta1, which may not send back the annotation of the conversion. */
  setInOldVersion(field: string, value: unknown, sendsAnnotation: boolean): Promise<void>
  setGates(gates: ReadonlyMap<string, boolean>): Promise<void>
  override(name: OverrideName, isThere: boolean): Promise<void>
  setNodes(count: number): Promise<void>
  /** Changes a field of KubeVirt that the operator writes. */
  rival(): Promise<void>
  restart(): Promise<void>
  /** Installs the operator of the next version. `death`: the first one dies at a write. */
  upgrade(upgrades: number, death?: CrashPoint): Promise<void>
  /** Runs an operator that dies at a write while an edit is made, and then another one. */
  killDuring(edit: () => Promise<void>, death: CrashPoint): Promise<void>
  /** Waits until all objects, and the reasons of all values, are as wanted. */
  becomes(wanted: Wanted): Promise<void>
  /** Fails unless the operator writes nothing any more. */
  isQuiet(): Promise<void>
}

const patienceMs = 20_000

export async function startEditedPlatform(): Promise<EditedPlatform> {
  let running: Platform | undefined
  const plugin: AdmissionPlugin = admissionPlugin(() => running?.dryRun)
  const platform = await startPlatform([plugin])
  const { client } = platform
  // As a user creates it: through the webhooks.
  const { metadata: _, ...created } = await platform.hyperconverged()
  await client.delete(hyperConvergeds, hyperConvergedKey)
  await client.create(hyperConvergeds, { ...created, metadata: { ...hyperConvergedKey }, spec: {} })
  const resources = new Map<string, ResourceType<KubeObject>>([['kubevirt', kubeVirts as ResourceType<KubeObject>]])
  for (const name of installed.slice(1)) resources.set(name, await platform.install(name))
  let release = releaseOf(0)
  let stop = platform.start(undefined, release)
  running = platform

  const objectsOf = async (): Promise<ReadonlyMap<string, KubeObject>> => {
    const entries = [...resources].map(async ([name, resource]): Promise<readonly [string, KubeObject][]> => {
      const [object] = (await client.list(resource)).items
      return object === undefined ? [] : [[name, object]]
    })
    return new Map((await Promise.all(entries)).flat())
  }
  const explained = async (hyperconverged: HyperConverged): Promise<readonly ExplainedValue[]> => {
    const [kubevirt] = (await client.list(kubeVirts)).items
    const { items } = await client.list(componentOverrides)
    const input = { hyperconverged, nodes: (await client.list(nodes)).items, kubevirt, overrides: items, now: 0 }
    return explainHyperConverged(input)
  }
  const untouched = new Map<FieldCase, Untouched>()
  const cases = fieldCases.filter(([, , component]) => installed.includes(component))
  const poll = async (problems: () => Promise<readonly string[]>): Promise<void> => {
    const end = performance.now() + patienceMs
    for (;;) {
      const now = await problems()
      if (now.length === 0) return
      if (performance.now() > end) throw new Error(`It stays so: ${now.join('; ')}. Events: ${platform.events.join('; ')}`)
      await sleep(10)
    }
  }
  /** Retries after a conflict with the status, which the operator writes meanwhile. */
  const replace = async (as: string, change: (object: HyperConverged) => KubeObject): Promise<void> => {
    for (;;) {
      try {
        await platform.as(as).update(hyperConvergeds, change(await platform.hyperconverged()) as HyperConverged)
        return
      } catch (error) {
        if (!isConflict(error)) throw error
        await sleep(1)
      }
    }
  }

  await poll(async () => {
    const there = await objectsOf()
    return installed.filter((name) => !there.has(name)).map((name) => `there is no ${name}`)
  })
  // An upgrade waits for components that are not ready.
  for (const [name, { metadata }] of await objectsOf()) {
    const resource = resources.get(name)
    if (resource !== undefined)
      await platform.report(resource, metadata?.name ?? '', { Available: 'True', Progressing: 'False', Degraded: 'False' })
  }
  const [first, why] = [await objectsOf(), await explained(await platform.hyperconverged())]
  for (const one of cases) {
    const [, , component, target] = one
    untouched.set(one, { value: valueIn(first.get(component), target), sources: sourcesOf(why, component, target) })
  }

  const problemsOf = async (wanted: Wanted): Promise<readonly string[]> => {
    const hyperconverged = await platform.hyperconverged()
    const [objects, values] = [await objectsOf(), await explained(hyperconverged)]
    const problems: string[] = []
    const expect = (what: string, is: unknown, should: unknown): void => {
      if (!deepEqual(is, should)) problems.push(`${what} is ${JSON.stringify(is)}, not ${JSON.stringify(should)}`)
    }
    expect('the version', hyperconverged.status?.versions?.[0]?.version, `v${versionOf(wanted.upgrades)}`)
    const { featureGates: listed, ...spec } = (hyperconverged.spec ?? {}) as Readonly<Record<string, unknown>>
    // What the user has not set is a default of the schema or of the creation, or is not stored.
    expect('the stored spec', withoutEmpty(spec), withoutEmpty(storedSpec(wanted)))
    const gates = Object.fromEntries(listedGates(listed).map(({ name, isEnabled }) => [name, isEnabled]))
    expect('the stored gates', gates, Object.fromEntries(wanted.gates))
    for (const one of cases) {
      const [field, value, component, target, ofComponent = value] = one
      const isGone = createdWith.has(field) && wanted.touched.has(field)
      const [isSet, base] = [wanted.fields.has(field), isGone ? undefined : untouched.get(one)]
      const patched = wanted.patched.get(field)
      const plain = isSet
        ? ofComponent
        : patched !== undefined
          ? patched.value
          : target === `${config}.evictionStrategy`
            ? lateStrategy(wanted)
            : base?.value
      const because = isSet ? ['user'] : patched !== undefined ? [`patch ${patched.patch}`] : (base?.sources ?? [])
      const override = [...wanted.overrides]
        .map((name) => overrides[name])
        .find((found) => found.component === component && found.target === target)
      const at = `${component} ${target}`
      expect(at, valueIn(objects.get(component), target), override === undefined ? plain : override.value)
      expect(
        `why ${at}`,
        sourcesOf(values, component, target, field),
        override === undefined ? because : [`override ${because.join('')}`.trim()],
      )
    }
    const developer = `${config}.developerConfiguration`
    const enabled = (valueIn(objects.get('kubevirt'), `${developer}.featureGates`) ?? []) as readonly string[]
    for (const { name, phase, kubevirt } of switchable) {
      const chosen = wanted.gates.get(name)
      const isOn = chosen ?? phase === 'beta'
      for (const gate of kubevirt?.on ?? []) {
        expect(`gate ${gate}`, enabled.includes(gate), isOn)
        const source = values.find(({ path }) => path === `spec.${developer}.featureGates[${gate}]`)?.source
        const because = { kind: 'gate', gate: name, because: chosen === undefined ? 'phase' : 'user' }
        expect(`why gate ${gate}`, source, isOn ? because : undefined)
      }
    }
    return problems
  }

  const dieAt = async (death: CrashPoint, edit?: () => Promise<void>): Promise<void> => {
    const dead = Promise.withResolvers<void>()
    const bury = platform.start((inner) => crashingClient(inner, death, dead.resolve), release)
    await edit?.()
    // There may be fewer writes than that.
    await Promise.race([dead.promise, platform.settled()])
    await bury()
  }
  const edited: EditedPlatform = {
    set: async (field, value) => {
      const body = { spec: withValueAt({}, field.split('.'), value ?? null) }
      await client.patch(hyperConvergeds, hyperConvergedKey, { type: 'merge', body })
    },
    setInOldVersion: (field, value, sendsAnnotation) =>
      replace(oldClient, (stored) => {
        const old = convertHyperConverged(stored, 'hco.kubevirt.io/v1beta1') as KubeObject & { readonly spec?: unknown }
        const path = oldPathOf(field)
        if (path === undefined) throw new TypeError(`v1beta1 has no ${field}`)
        const { 'steadyvm.io/v1-fields': _kept, ...annotations } = old.metadata?.annotations ?? {}
        const spec = value === undefined ? withoutValueAt(old.spec, path) : withValueAt(old.spec, path, value)
        const sent = sendsAnnotation ? old : { ...old, metadata: { ...old.metadata, annotations } }
        return convertHyperConverged({ ...sent, spec } as KubeObject, 'hco.kubevirt.io/v1')
      }),
    setGates: async (gates) => {
      const featureGates = [...gates].map(([name, isEnabled]) => ({ name, state: isEnabled ? 'Enabled' : 'Disabled' }))
      await platform.edit({ featureGates })
    },
    override: async (name, isThere) => {
      if (!isThere) {
        await client.delete(componentOverrides, { name })
        return
      }
      const { component, target, value } = overrides[name]
      const patch = [{ op: 'add', path: `/spec/${target.replaceAll('.', '/')}`, value }] as const
      await client.create(componentOverrides, {
        metadata: { name },
        spec: { component, patch: [...patch], owner: 'storage', reason: 'tests' },
      })
    },
    setNodes: async (count) => {
      for (const name of ['n2', 'n3']) {
        const isThere = (await found(client.get(nodes, { name }))) !== undefined
        const isWanted = Number(name.slice(1)) <= count
        if (isWanted && !isThere) await client.create(nodes, { metadata: { name } })
        if (!isWanted && isThere) await client.delete(nodes, { name })
      }
    },
    rival: async () => {
      const [kubevirt] = (await client.list(kubeVirts)).items
      const body = { spec: { uninstallStrategy: '', configuration: { migrations: { progressTimeout: 7 } } } }
      const { namespace = '', name = '' } = kubevirt?.metadata ?? {}
      await client.patch(kubeVirts, { namespace, name }, { type: 'merge', body }, { fieldManager: 'rival' })
    },
    restart: async () => {
      await stop()
      stop = platform.start(undefined, release)
    },
    upgrade: async (upgrades, death) => {
      await stop()
      release = releaseOf(upgrades)
      if (death !== undefined) await dieAt(death)
      stop = platform.start(undefined, release)
    },
    killDuring: async (edit, death) => {
      await stop()
      await dieAt(death, edit)
      stop = platform.start(undefined, release)
    },
    becomes: (wanted) => poll(() => problemsOf(wanted)),
    isQuiet: async () => {
      await platform.settled()
      const before = platform.writes.length
      await platform.settled()
      const after = platform.writes.slice(before)
      if (after.length > 0) throw new Error(`The operator writes although nothing changes: ${after.join()}`)
    },
    [Symbol.asyncDispose]: () => platform[Symbol.asyncDispose](),
  }
  return edited
}

/** Path of a field in v1beta1; undefined if it is not there. */
export function oldPathOf(field: string): readonly string[] | undefined {
  const marker = '\u0000marker'
  const object = { apiVersion: 'hco.kubevirt.io/v1', kind: 'HyperConverged', metadata: {}, spec: withValueAt({}, field.split('.'), marker) }
  const { spec } = convertHyperConverged(object as KubeObject, 'hco.kubevirt.io/v1beta1') as { readonly spec?: unknown }
  return pathTo(spec, marker)
}

function pathTo(value: unknown, wanted: string): readonly string[] | undefined {
  if (value === wanted) return []
  if (!isJsonObject(value)) return undefined
  for (const [key, below] of Object.entries(value)) {
    const rest = pathTo(below, wanted)
    if (rest !== undefined) return [key, ...rest]
  }
  return undefined
}

/** Value of a field that has a default of the schema. */
export function schemaDefaultOf(field: string): unknown {
  return valueAt(applyDefaults({}, schema), field.split('.'))
}

/** The spec as the API server stores what the user has set. */
function storedSpec({ fields, patched }: Wanted): unknown {
  const values = [...patched].map(([field, { value }]) => [field, value] as const)
  const set = [...values, ...fields].reduce<unknown>((spec, [field, value]) => withValueAt(spec, field.split('.'), value), {})
  return applyDefaults(set, schema)
}

/** Objects that only a removed field has left behind do not count, nor the default of creations. */
function withoutEmpty(value: unknown): unknown {
  if (!isJsonObject(value)) return value
  const rest = Object.entries(value).flatMap(([key, below]): [string, unknown][] => {
    const next = withoutEmpty(below)
    return isJsonObject(next) && Object.keys(next).length === 0 ? [] : [[key, next]]
  })
  return Object.fromEntries(rest)
}

function lateStrategy({ nodes: count }: Wanted): string {
  return count > 1 ? 'LiveMigrate' : 'None'
}

function valueIn(object: KubeObject | undefined, target: string): unknown {
  return valueAt(object, ['spec', ...target.split('.')])
}

/** Distinct sources of the values at a target, as words. `user`: set by the user at the field. */
function sourcesOf(values: readonly ExplainedValue[], component: string, target: string, field = ''): readonly string[] {
  const path = ['spec', ...target.split('.')]
  const at = values.filter((value) => value.component === component && startsWith(value.path.split('.'), path))
  return [...new Set(at.map(({ source }) => wordOf(source, field)))]
}

function wordOf(source: ValueSource, field: string): string {
  switch (source.kind) {
    case 'user':
      return source.field === field || source.field.startsWith(`${field}.`) ? 'user' : `user of ${source.field}`
    case 'default':
      return `default ${source.of} ${source.field}`
    case 'override':
      return `override ${source.replaced === undefined ? '' : wordOf(source.replaced, field)}`.trim()
    case 'patch':
      return `patch ${source.patch}`
    case 'gate':
      return `gate ${source.gate}`
    case 'cluster':
    case 'fixed':
      return source.kind
  }
}
