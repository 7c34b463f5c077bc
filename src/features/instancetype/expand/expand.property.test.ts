import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { deepEqual } from '#apimachinery/equality.ts'
import { expansionInputs } from '../random.fixture.ts'
import type { Expansion } from './expand.ts'
import { leavesOf, sameLeaf } from '../leaves.ts'
import { expandInputs, overridden, withoutPath, type ExpansionInputs } from './overridden.ts'
import type { Source } from './sources.ts'
import { repeats } from '#test/effort.ts'

const runs = repeats({ default: 300, long: 10_000 })

/**
 * One random VM with what it names, and what became of it. Inputs are frozen all the way down:
 * changing one of them throws.
 */
interface Case {
  readonly inputs: ExpansionInputs
  readonly given: Expansion
  readonly leaves: ReadonlyMap<string, unknown>
  /** Chooses one leaf where looking at each would take too long. */
  readonly pick: number
}

/** Fields that a preference or an instance type overwrites, and the annotations that name them. */
const overwritable = /features\.acpi|disableHotplug|cpu\.maxSockets|annotations\[kubevirt\.io/

const laws: Readonly<Record<string, (given: Case) => void>> = {
  'shares no object with its inputs': ({ given }) => assert.equal(frozenIn(given.vmi), undefined),

  'is deterministic': ({ inputs, given }) => {
    const again = expandInputs(inputs)
    if (!deepEqual(again.vmi, given.vmi)) assert.deepEqual(again.vmi, given.vmi)
    assert.equal(again.sources.size, given.sources.size)
    for (const [path, source] of again.sources) assert.equal(source, given.sources.get(path), path)
  },

  'returns a complete VMI: expanding it again changes nothing': ({ inputs, given: { vmi, conflicts } }) => {
    if (conflicts.length > 0) return
    const vm = { ...inputs.vm, spec: { ...inputs.vm.spec, template: vmi } }
    const alone = expandInputs({ ...inputs, vm, instancetype: undefined, preference: undefined }).vmi
    if (!deepEqual(alone, vmi)) assert.deepEqual(alone, vmi)
  },

  'has a source for each leaf and for nothing else': ({ given, leaves }) => {
    assert.equal(given.sources.size, leaves.size)
    for (const path of leaves.keys()) assert.ok(given.sources.has(path), path)
  },

  "attributes exactly the VM's values to the VM": ({ inputs, given, leaves }) => {
    const said = leavesOf(inputs.vm.spec.template)
    for (const [path, value] of leaves) {
      const isFromVm = given.sources.get(path) === 'vm'
      const isSaid = said.has(path) && sameLeaf(said.get(path), value)
      // Where the VM can be overwritten, a default may in the end happen to be what the VM had
      // said.
      assert.ok(isFromVm === isSaid || (isSaid && overwritable.test(path)), path)
    }
  },

  "keeps the VM's values": ({ inputs, leaves }) => {
    for (const [path, value] of leavesOf(inputs.vm.spec.template)) {
      const isUnset = value === '' || value === 0 || value === false || typeof value === 'object'
      if (!isUnset && !overwritable.test(path)) assert.equal(leaves.get(path), value, path)
    }
  },

  'attributes a string to its only possible source': ({ inputs, given, leaves }) => {
    for (const [path, value] of leaves) {
      const author = authorOf(value)
      // A disk that is made for a volume is named after it.
      if (author !== undefined && !isNameOfMadeDisk(inputs, path)) assert.equal(given.sources.get(path), author, path)
    }
  },

  'removes or changes values of the instance type without it': ({ inputs, given, leaves }) => {
    assertDecidedBy('instancetype', pathsFrom(given, 'instancetype'), leaves, expandInputs({ ...inputs, instancetype: undefined }))
  },

  'removes or changes values of the preference without it': ({ inputs, given, leaves }) => {
    assertDecidedBy('preference', pathsFrom(given, 'preference'), leaves, expandInputs({ ...inputs, preference: undefined }))
  },

  'removes or changes values of the VM without them': ({ inputs, given, leaves, pick }) => {
    const paths = pathsFrom(given, 'vm')
    const path = paths[pick % paths.length]
    if (path === undefined) return
    const left = expandInputs({ ...inputs, vm: withoutPath(inputs.vm, path) })
    // Another item of the same list has moved up.
    const isShifted = left.sources.get(path) === 'vm' && path.includes('[')
    if (!isShifted) assertDecidedBy('vm', [path], leaves, left)
  },
}

test(`expand() keeps its invariants for ${runs} random VMs`, () => {
  const property = fc.property(expansionInputs, fc.nat(), (inputs, pick) => {
    const given = expandInputs(inputs)
    const leaves = leavesOf(given.vmi)
    for (const [name, law] of Object.entries(laws)) {
      try {
        law({ inputs, given, leaves, pick })
      } catch (error) {
        throw new assert.AssertionError({ message: `expand() ${name}: ${error instanceof Error ? error.message : String(error)}` })
      }
    }
  })
  fc.assert(property, { numRuns: runs })
})

test('overridden() names each source once, and never the effective one', () => {
  const property = fc.property(expansionInputs, fc.nat(), (inputs, pick) => {
    const { sources } = expandInputs(inputs)
    const [path, winner] = [...sources][pick % sources.size] ?? []
    assert.ok(path !== undefined && winner !== undefined)
    const chain = [winner, ...overridden(inputs, path).map(({ source }) => source)]
    assert.equal(new Set(chain).size, chain.length, path)
  })
  fc.assert(property, { numRuns: runs / 10 })
})

function pathsFrom({ sources }: Expansion, source: Source): string[] {
  return [...sources].flatMap(([path, from]) => (from === source ? [path] : []))
}

/** Another source may happen to say the same; then it is that one which is named. */
function assertDecidedBy(source: Source, paths: readonly string[], leaves: Case['leaves'], left: Expansion): void {
  const rest = leavesOf(left.vmi)
  for (const path of paths) {
    if (!rest.has(path)) continue
    assert.notEqual(left.sources.get(path), source, path)
    if (authorOf(leaves.get(path)) !== undefined) assert.notEqual(rest.get(path), leaves.get(path), path)
  }
}

function authorOf(value: unknown): string | undefined {
  return /^(vm|instancetype|preference)-\d$/.exec(String(value))?.[1]
}

function isNameOfMadeDisk({ vm }: ExpansionInputs, path: string): boolean {
  return /devices\.disks\[\d+\]\.name$/.test(path) && !leavesOf(vm.spec.template).has(path)
}

/** The first thing that is frozen, hence part of the inputs. */
function frozenIn(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  if (Object.isFrozen(value)) return value
  return Object.values(value)
    .map(frozenIn)
    .find((found) => found !== undefined)
}
