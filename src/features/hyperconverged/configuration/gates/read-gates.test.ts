import assert from 'node:assert/strict'
import { test } from 'node:test'
import { featureGateRows, findGate, type Phase } from './feature-gates.ts'
import { gateWarnings, listedGates, readGates } from './read-gates.ts'

// Phase → state without the gate, with it enabled, and with it disabled; number of warnings.
const phases: Readonly<Record<Phase, readonly [boolean, boolean, boolean, number]>> = {
  alpha: [false, true, false, 0],
  beta: [true, true, false, 0],
  GA: [true, true, true, 1],
  deprecated: [false, true, false, 1],
  discontinued: [false, false, false, 1],
}

for (const { name, phase } of featureGateRows) {
  test(`${name} is ${phase}`, () => {
    const [absent, enabled, disabled, warnings] = phases[phase]
    const isOn = (value: unknown): boolean | undefined => readGates(value).get(name)?.isOn
    assert.equal(isOn(undefined), absent)
    assert.equal(isOn([{ name: name.toUpperCase(), state: 'Enabled' }]), enabled)
    assert.equal(isOn([{ name, state: 'Disabled' }]), disabled)
    assert.equal(isOn([{ name }]), enabled)
    assert.equal(gateWarnings([{ name }]).length, warnings)
  })
}

test('names are unique without regard to case', () => {
  assert.equal(new Set(featureGateRows.map(({ name }) => name.toLowerCase())).size, featureGateRows.length)
  assert.equal(findGate('ALIGNcpus')?.name, 'alignCPUs')
})

test('shapes that were stored before, or by mistake', () => {
  const rows: readonly (readonly [unknown, readonly string[]])[] = [
    [undefined, []],
    [null, []],
    [{}, []],
    [[], []],
    ['', []],
    [{ alignCPUs: true, nonRoot: null }, ['alignCPUs']],
    [['alignCPUs', { state: 'Enabled' }, null, 3], ['alignCPUs']],
  ]
  for (const [value, names] of rows)
    assert.deepEqual(
      listedGates(value).map(({ name }) => name),
      names,
    )
})

test('an unknown gate is named in a warning', () => {
  const [warning = ''] = gateWarnings([{ name: 'flying' }])
  assert.match(warning, /flying/)
})
