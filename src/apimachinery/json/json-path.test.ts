import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { compileJsonPath, JsonPathError } from './json-path.ts'

const vm = {
  metadata: { name: 'a', labels: { 'kubevirt.io/vm': 'x', plain: 'y' } },
  spec: { replicas: 0, list: [10, 20, 30, 40], empty: null, on: false },
  status: {
    conditions: [
      { type: 'Ready', status: 'True', age: 3 },
      { type: 'Paused', status: 'False', age: 7 },
    ],
    interfaces: [{ ips: ['1', '2'] }, { ips: ['3'] }, {}],
  },
}

const cases: readonly { path: string; want: readonly unknown[]; reason: string }[] = [
  { path: '.metadata.name', want: ['a'], reason: 'fields' },
  { path: 'metadata.name', want: ['a'], reason: 'without the dot' },
  { path: '{.metadata.name}', want: ['a'], reason: 'in braces' },
  { path: '$.metadata.name', want: ['a'], reason: 'from the root sign' },
  { path: '.spec.replicas', want: [0], reason: 'zero is a value' },
  { path: '.spec.on', want: [false], reason: 'so is false' },
  { path: '.spec.empty', want: [null], reason: 'and null' },
  { path: '.spec.missing.deeper', want: [], reason: 'nothing there' },
  { path: '.toString', want: [], reason: 'inherited names are not there' },
  { path: String.raw`.metadata.labels.kubevirt\.io/vm`, want: ['x'], reason: 'an escaped dot' },
  { path: `.metadata.labels['kubevirt.io/vm']`, want: ['x'], reason: 'a quoted name' },
  { path: `.metadata.labels["kubevirt.io/vm",'plain']`, want: ['x', 'y'], reason: 'two quoted names' },
  { path: '.spec.list[0]', want: [10], reason: 'an index' },
  { path: '.spec.list[-1]', want: [40], reason: 'from the end' },
  { path: '.spec.list[9]', want: [], reason: 'past the end' },
  { path: '.spec.list[0,2]', want: [10, 30], reason: 'two indexes' },
  { path: '.spec.list[1:3]', want: [20, 30], reason: 'a slice' },
  { path: '.spec.list[::2]', want: [10, 30], reason: 'with a step' },
  { path: '.spec.list[2:]', want: [30, 40], reason: 'an open slice' },
  { path: '.spec.list[*]', want: [10, 20, 30, 40], reason: 'all' },
  { path: '.status.interfaces[*].ips[0]', want: ['1', '3'], reason: 'all, then one of each' },
  { path: '.metadata.labels.*', want: ['x', 'y'], reason: 'all fields' },
  { path: '..ips', want: [['1', '2'], ['3']], reason: 'at any depth' },
  { path: '.status.conditions[?(@.type=="Ready")].status', want: ['True'], reason: 'a filter' },
  { path: `.status.conditions[?(@.type == 'Paused')].status`, want: ['False'], reason: 'with blanks and single quotes' },
  { path: '.status.conditions[?(@.type!="Ready")].type', want: ['Paused'], reason: 'not equal' },
  { path: '.status.conditions[?(@.age>=4)].type', want: ['Paused'], reason: 'numbers' },
  { path: '.status.conditions[?(@.age<4)].type', want: ['Ready'], reason: 'less' },
  { path: '.status.interfaces[?(@.ips)].ips[0]', want: ['1', '3'], reason: 'existence' },
  { path: '.status.conditions[?(@.status==@.status)].type', want: ['Ready', 'Paused'], reason: 'a path on both sides' },
  { path: '{}', want: [vm], reason: 'the whole' },
  { path: '.', want: [vm], reason: 'the whole' },
]

suite('compileJsonPath()', () => {
  for (const c of cases) {
    test(`compileJsonPath() evaluates ${c.path}: ${c.reason}`, () => assert.deepEqual(compileJsonPath(c.path)(vm), c.want))
  }
  for (const path of ['.a[', '.a[x]', '.a[?(@.b=)]', '.a[?(b)]', '.a]', '.a b', `.a['b]`, '.a[1:2:0]', '.a..', '.a[?(@.b==1]']) {
    test(`compileJsonPath() refuses ${path}`, () => assert.throws(() => compileJsonPath(path), JsonPathError))
  }
  test('compileJsonPath() finds nothing in scalars', () => {
    assert.deepEqual(compileJsonPath('.a[0]')(3), [])
    assert.deepEqual(compileJsonPath('.a.b')(undefined), [])
  })
})
