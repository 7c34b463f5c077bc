import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import type { ObjectMeta } from './meta/object-meta.ts'
import { byteLength } from './meta/name-rules.ts'
import { generateName, type NameKind, validateLabels, validateName, validateObjectMeta, validateQualifiedName } from './names.ts'

const subdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
const label =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
const part =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"

const names: readonly { name: string; kind: NameKind; want: readonly string[] }[] = [
  { name: 'a.b-c', kind: 'dns-subdomain', want: [] },
  { name: 'A', kind: 'dns-subdomain', want: [subdomain] },
  { name: 'a..b', kind: 'dns-subdomain', want: [subdomain] },
  { name: 'a'.repeat(253), kind: 'dns-subdomain', want: [] },
  { name: 'a'.repeat(254), kind: 'dns-subdomain', want: ['must be no more than 253 bytes'] },
  { name: 'a.b', kind: 'dns-label', want: ['must not contain dots'] },
  { name: 'a'.repeat(63), kind: 'dns-label', want: [] },
  { name: `${'a'.repeat(63)}-`, kind: 'dns-label', want: ['must be no more than 63 bytes', label] },
  { name: 'System:Any', kind: 'path-segment', want: [] },
  { name: '..', kind: 'path-segment', want: ["may not be '..'"] },
  { name: 'a/b%', kind: 'path-segment', want: ["may not contain '/'", "may not contain '%'"] },
]

suite('validateName()', () => {
  for (const c of names)
    test(`validateName() judges ${c.name.slice(0, 20)} as ${c.kind}`, () => assert.deepEqual(validateName(c.name, c.kind), c.want))
})

suite('validateQualifiedName()', () => {
  test('accepts a name with and without prefix', () => {
    assert.deepEqual([...validateQualifiedName('app'), ...validateQualifiedName('kubevirt.io/Domain_1')], [])
  })
  test('names the invalid part', () => {
    assert.deepEqual(validateQualifiedName('-x'), [part])
    assert.deepEqual(validateQualifiedName(''), ['name part must be non-empty', part])
    assert.deepEqual(validateQualifiedName('/x'), ['prefix part must be non-empty'])
    assert.deepEqual(validateQualifiedName('A/x'), [`prefix part ${subdomain}`])
    assert.equal(validateQualifiedName('a/b/c').length, 1)
  })
})

suite('generateName()', () => {
  test('generateName() appends five characters of the alphabet to at most 58', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[a-z]{0,80}$/),
        fc.array(fc.double({ min: 0, max: 0.999_999, noNaN: true }), { minLength: 5, maxLength: 5 }),
        (prefix, numbers) => {
          const left = [...numbers]
          const name = generateName(prefix, () => left.pop() ?? 0)
          assert.equal(name.slice(0, -5), prefix.slice(0, 58))
          assert.match(name.slice(-5), /^[bcdfghjklmnpqrstvwxz2456789]{5}$/)
        },
      ),
    )
  })
})

suite('byteLength()', () => {
  test('byteLength() is the length in UTF-8', () => {
    fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (text) => assert.equal(byteLength(text), Buffer.byteLength(text))))
  })
})

const good: ObjectMeta = { name: 'vm', namespace: 'default' }
const metas: readonly { meta: ObjectMeta | undefined; namespaced?: boolean; want: readonly string[]; reason: string }[] = [
  { meta: good, want: [], reason: 'good' },
  {
    meta: undefined,
    want: ['metadata.name: Required value: name or generateName is required', 'metadata.namespace: Required value'],
    reason: 'nothing',
  },
  { meta: { ...good, name: 'X' }, want: [`metadata.name: Invalid value: "X": ${subdomain}`], reason: 'a bad name' },
  { meta: { ...good, generateName: 'vm-' }, want: [], reason: 'a prefix may end in a dash' },
  { meta: { ...good, generateName: 'Vm-' }, want: [`metadata.generateName: Invalid value: "Vm-": ${subdomain}`], reason: 'a bad prefix' },
  {
    meta: good,
    namespaced: false,
    want: ['metadata.namespace: Forbidden: not allowed on this type'],
    reason: 'a namespace where none belongs',
  },
  {
    meta: { ...good, namespace: 'a.b' },
    want: [`metadata.namespace: Invalid value: "a.b": must not contain dots`],
    reason: 'a bad namespace',
  },
  { meta: { ...good, labels: { '-x': 'v' } }, want: [`metadata.labels: Invalid value: "-x": ${part}`], reason: 'a bad label key' },
  { meta: { ...good, annotations: { 'EXAMPLE.com/x': '' } }, want: [], reason: 'annotation keys in any case' },
  {
    meta: { ...good, annotations: { a: 'x'.repeat(262_144) } },
    want: ['metadata.annotations: Too long: may not be more than 262144 bytes'],
    reason: 'annotations too large',
  },
  {
    meta: { ...good, finalizers: ['kubernetes', 'x/'] },
    want: ['metadata.finalizers: Invalid value: "x/": name part must be non-empty', `metadata.finalizers: Invalid value: "x/": ${part}`],
    reason: 'a bad finalizer',
  },
  {
    meta: { ...good, ownerReferences: [{ apiVersion: '', kind: 'Pod', name: '', uid: 'u' }] },
    want: [
      'metadata.ownerReferences.apiVersion: Invalid value: "": version must not be empty',
      'metadata.ownerReferences.name: Invalid value: "": must not be empty',
    ],
    reason: 'an incomplete owner',
  },
  {
    meta: { ...good, generation: -1 },
    want: ['metadata.generation: Invalid value: -1: must be greater than or equal to 0'],
    reason: 'a negative generation',
  },
]

suite('validateObjectMeta()', () => {
  for (const c of metas) {
    test(`validateObjectMeta() judges ${c.reason}`, () => {
      const errors = validateObjectMeta(c.meta, { namespaced: c.namespaced ?? true })
      assert.deepEqual(
        errors.map((error) => `${error.field}: ${error.message}`),
        c.want,
      )
    })
  }
  test('validateObjectMeta() allows one controller', () => {
    const owner = { apiVersion: 'v1', kind: 'Pod', name: 'a', uid: 'u', controller: true }
    const errors = validateObjectMeta({ ...good, ownerReferences: [owner, { ...owner, name: 'b' }] }, { namespaced: true })
    assert.equal(errors.length, 1)
    assert.ok(
      errors[0]?.message.endsWith('Only one reference can have Controller set to true. Found "true" in references for Pod/a and Pod/b'),
    )
  })
  test('validateObjectMeta() refuses contradicting finalizers and Event owners', () => {
    const finalizers = validateObjectMeta({ ...good, finalizers: ['orphan', 'foregroundDeletion'] }, { namespaced: true })
    assert.deepEqual(
      finalizers.map((error) => error.field),
      ['metadata.finalizers'],
    )
    const event = { apiVersion: 'v1', kind: 'Event', name: 'e', uid: 'u' }
    assert.deepEqual(
      validateObjectMeta({ ...good, ownerReferences: [event] }, { namespaced: true }).map((error) => error.reason),
      ['FieldValueInvalid'],
    )
  })
  test('validateLabels() limits values to 63 bytes', () => {
    assert.deepEqual(validateLabels({ a: 'v'.repeat(63) }, 'spec.labels'), [])
    assert.deepEqual(
      validateLabels({ a: 'v'.repeat(64) }, 'spec.labels').map((error) => error.field),
      ['spec.labels'],
    )
  })
})
