import { suite, test } from 'node:test'
import fc from 'fast-check'
import { repeats, seed } from '#test/effort.ts'
import {
  nothingWanted,
  oldPathOf,
  overrideNames,
  patchesOf,
  schemaDefaultOf,
  settings,
  startEditedPlatform,
  switchable,
  type EditedPlatform,
  type OverrideName,
  type Wanted,
} from './user-values.fixture.ts'

/** Something that happens to a platform. After each, all objects are compared with the model. */
class Happening implements fc.AsyncCommand<Wanted, EditedPlatform> {
  readonly #name: string
  readonly #happen: (wanted: Wanted, platform: EditedPlatform) => Promise<void>
  readonly #canHappen: (wanted: Readonly<Wanted>) => boolean

  constructor(
    name: string,
    happen: (wanted: Wanted, platform: EditedPlatform) => Promise<void>,
    canHappen: (wanted: Readonly<Wanted>) => boolean = () => true,
  ) {
    this.#name = name
    this.#happen = happen
    this.#canHappen = canHappen
  }

  check(wanted: Readonly<Wanted>): boolean {
    return this.#canHappen(wanted)
  }

  async run(wanted: Wanted, platform: EditedPlatform): Promise<void> {
    await this.#happen(wanted, platform)
    await platform.becomes(wanted)
  }

  toString(): string {
    return this.#name
  }
}

const setting = fc.constantFrom(...settings)
const oldSetting = fc.constantFrom(...settings.filter(([field]) => oldPathOf(field) !== undefined))
const gate = fc.constantFrom(...switchable.map(({ name }) => name))

function note(wanted: Wanted, field: string, value: unknown): void {
  wanted.touched.add(field)
  wanted.patched.delete(field)
  if (value === undefined) wanted.fields.delete(field)
  else wanted.fields.set(field, value)
}

/** A patch changes what the user has not set, and a value that is what it expects. */
function upgraded(wanted: Wanted): void {
  wanted.upgrades++
  for (const [field, { patch, before, value }] of patchesOf(wanted.upgrades)) {
    const stored = wanted.fields.get(field) ?? wanted.patched.get(field)?.value ?? schemaDefaultOf(field)
    if (stored !== before) continue
    wanted.fields.delete(field)
    wanted.patched.set(field, { patch, value })
  }
  restarted(wanted)
}

/** The operator counts changes by others anew when it starts. */
function restarted(wanted: Wanted): void {
  wanted.rivals = 0
}

/** Reverts follow at once only as long as there are few. */
const promptReverts = 2

/** Everything that may happen. Each changes the platform and the model in the same way. */
const happenings: fc.Arbitrary<Happening>[] = [
  setting.map(
    ([field, value]) =>
      new Happening(`set ${field}`, async (wanted, platform) => {
        await platform.set(field, value)
        note(wanted, field, value)
      }),
  ),
  setting.map(
    ([field]) =>
      new Happening(
        `unset ${field}`,
        async (wanted, platform) => {
          await platform.set(field, undefined)
          note(wanted, field, undefined)
        },
        ({ fields }) => fields.has(field),
      ),
  ),
  fc.nat().map(
    (index) =>
      new Happening(
        `unset field ${index} of those that are set`,
        async (wanted, platform) => {
          const fields = [...wanted.fields.keys()]
          const field = fields[index % fields.length] ?? ''
          await platform.set(field, undefined)
          note(wanted, field, undefined)
        },
        ({ fields }) => fields.size > 0,
      ),
  ),
  fc.tuple(oldSetting, fc.boolean(), fc.boolean()).map(
    ([[field, value], isSet, sendsAnnotation]) =>
      new Happening(
        `${isSet ? 'set' : 'unset'} ${field} in v1beta1 ${sendsAnnotation ? 'with' : 'without'} the annotation`,
        async (wanted, platform) => {
          await platform.setInOldVersion(field, isSet ? value : undefined, sendsAnnotation)
          note(wanted, field, isSet ? value : undefined)
        },
        ({ fields }) => isSet || fields.has(field),
      ),
  ),
  fc.tuple(gate, fc.constantFrom(true, false, undefined)).map(
    ([name, isOn]) =>
      new Happening(`gate ${name} ${String(isOn)}`, async (wanted, platform) => {
        if (isOn === undefined) wanted.gates.delete(name)
        else wanted.gates.set(name, isOn)
        await platform.setGates(wanted.gates)
      }),
  ),
  fc.constant(
    new Happening('restart', async (wanted, platform) => {
      await platform.restart()
      restarted(wanted)
    }),
  ),
  fc
    .option(fc.record({ write: fc.integer({ min: 1, max: 8 }), moment: fc.constantFrom('before' as const, 'after' as const) }), {
      nil: undefined,
    })
    .map(
      (death) =>
        new Happening(`upgrade${death === undefined ? '' : `, killed ${death.moment} write ${death.write}`}`, async (wanted, platform) => {
          upgraded(wanted)
          await platform.upgrade(wanted.upgrades, death)
        }),
    ),
  fc.tuple(setting, fc.integer({ min: 1, max: 4 }), fc.constantFrom('before' as const, 'after' as const)).map(
    ([[field, value], write, moment]) =>
      new Happening(`kill ${moment} write ${write} while ${field} is set`, async (wanted, platform) => {
        await platform.killDuring(() => platform.set(field, value), { write, moment })
        note(wanted, field, value)
        restarted(wanted)
      }),
  ),
  fc.integer({ min: 1, max: 3 }).map(
    (count) =>
      new Happening(`${count} nodes`, async (wanted, platform) => {
        await platform.setNodes(count)
        wanted.nodes = count
      }),
  ),
  fc.constantFrom(...overrideNames).map(
    (name: OverrideName) =>
      new Happening(`override ${name} comes or goes`, async (wanted, platform) => {
        const isThere = wanted.overrides.has(name)
        await platform.override(name, !isThere)
        if (isThere) wanted.overrides.delete(name)
        else wanted.overrides.add(name)
      }),
  ),
  fc.constant(
    new Happening(
      'a rival changes KubeVirt',
      async (wanted, platform) => {
        await platform.rival()
        wanted.rivals++
      },
      ({ rivals }) => rivals < promptReverts,
    ),
  ),
]

const runs = repeats({ default: 3, long: 150 })

suite('values of users', () => {
  const name = 'persist through edits of others, restarts, kills, upgrades, nodes, overrides and rivals, and every reason is right'
  test(name, { timeout: 60_000 + runs * 4_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.commands(happenings, { maxCommands: 30, size: 'max' }), async (commands) => {
        await using platform = await startEditedPlatform()
        await fc.asyncModelRun(() => ({ model: nothingWanted(), real: platform }), commands)
        await platform.isQuiet()
      }),
      { numRuns: runs, seed, endOnFailure: true },
    )
  })
})
