import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { startTestApi, type TestApi } from '../support/api-server.ts'
import { kubectlsUnderTest, noKubectl, runCommand } from '../support/kubectl.ts'

// What users see of rules in definitions: refused definitions, refused objects, warnings for what
// was wrong before.
const kubectls = kubectlsUnderTest()

function definition(name: string, spec: object): string {
  const schema = {
    openAPIV3Schema: { type: 'object', properties: { spec, status: { type: 'object', properties: { size: { type: 'integer' } } } } },
  }
  return JSON.stringify({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${name}s.rules.example.com` },
    spec: {
      group: 'rules.example.com',
      scope: 'Namespaced',
      names: { plural: `${name}s`, singular: name, kind: `${name.charAt(0).toUpperCase()}${name.slice(1)}` },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema,
          subresources: { status: {}, scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.size' } },
        },
      ],
    },
  })
}

const disk = {
  type: 'object',
  required: ['name'],
  properties: { name: { type: 'string', maxLength: 63 }, size: { 'x-kubernetes-int-or-string': true, maxLength: 20 } },
}

const machine = definition('machine', {
  type: 'object',
  required: ['replicas'],
  properties: {
    replicas: { type: 'integer' },
    most: { type: 'integer' },
    name: { type: 'string', maxLength: 63, 'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'name is immutable' }] },
    disks: { type: 'array', maxItems: 8, items: disk, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] },
  },
  'x-kubernetes-validations': [
    {
      rule: '!has(self.most) || self.replicas <= self.most',
      messageExpression: "'%d replicas are more than %d'.format([self.replicas, self.most])",
      fieldPath: '.replicas',
      reason: 'FieldValueForbidden',
    },
    {
      rule: '!has(self.disks) || self.disks.all(d, !has(d.size) || isQuantity(string(d.size)))',
      message: 'sizes must be quantities',
    },
  ],
})

suite('validation rules', { skip: noKubectl }, () => {
  let server: TestApi
  const newest = kubectls.at(-1)?.path ?? ''
  const run = async (list: readonly string[], path = newest, input = ''): Promise<string> => {
    const { stdout, stderr, code } = await runCommand(
      path,
      ['--kubeconfig', server.kubeconfig, '--cache-dir', `${server.directory}/cache`, ...list],
      { input },
    )
    return code === 0 ? stdout + stderr : `exit ${code}: ${stderr}`
  }
  const object = (name: string, spec: object): string =>
    JSON.stringify({ apiVersion: 'rules.example.com/v1', kind: 'Machine', metadata: { name }, spec })
  const apply = (name: string, spec: object, path = newest): Promise<string> => run(['apply', '-f', '-'], path, object(name, spec))

  before(async () => {
    server = await startTestApi()
    assert.match(await run(['create', '-f', '-'], newest, machine), /created/)
    assert.match(await run(['wait', '--for=condition=Established', 'crd/machines.rules.example.com']), /condition met/)
  })
  after(() => server[Symbol.asyncDispose]())

  test('with errors are rejected together with the CRD', async () => {
    const bad = definition('bad', {
      type: 'object',
      properties: { a: { type: 'integer' } },
      'x-kubernetes-validations': [{ rule: 'self.b > 1' }],
    })
    const refused = await run(['create', '-f', '-'], newest, bad)
    assert.match(refused, /The CustomResourceDefinition "bads.rules.example.com" is invalid: /)
    assert.match(refused, /openAPIV3Schema\.properties\[spec\]\.x-kubernetes-validations\[0\]\.rule: Invalid value: /)
    assert.match(refused, /compilation failed: ERROR: <input>:1:5: undefined field 'b'/)
    const costly = definition('bad', {
      type: 'object',
      properties: { a: { type: 'array', items: { type: 'integer' } } },
      'x-kubernetes-validations': [{ rule: 'self.a.all(x, self.a.all(y, x == y))' }],
    })
    assert.match(
      await run(['create', '-f', '-'], newest, costly),
      /Forbidden: estimated rule cost exceeds budget by factor of more than 100x \(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared\)/,
    )
  })

  for (const { path, version } of kubectls) {
    test(`kubectl ${version} shows the message of a failed rule`, async () => {
      const name = `m${version.replace('.', '-')}`
      assert.match(
        await apply(name, { replicas: 3, most: 2 }, path),
        /The Machine "\S+" is invalid: spec\.replicas: Forbidden: 3 replicas are more than 2/,
      )
      assert.match(
        await apply(name, { replicas: 1, disks: [{ name: 'a', size: 'big' }] }, path),
        /spec: Invalid value: "object": sizes must be quantities/,
      )
      assert.match(
        await apply(
          name,
          {
            replicas: 1,
            name: 'a',
            disks: [
              { name: 'a', size: '1Gi' },
              { name: 'b', size: 5 },
            ],
          },
          path,
        ),
        /created/,
      )
      assert.match(await apply(name, { replicas: 1, name: 'b' }, path), /spec\.name: Invalid value: "string": name is immutable/)
    })
  }

  test('are evaluated only after schema validation succeeded', async () => {
    assert.match(
      await apply('wrong', { most: 1 }),
      /spec\.replicas: Required value\n\* <nil>: Invalid value: "null": some validation rules were not checked because the object was invalid; correct the existing errors to complete validation/,
    )
  })

  test('also apply to the scale and status subresources', async () => {
    await apply('scaled', { replicas: 1, most: 2 })
    assert.match(await run(['scale', 'machine/scaled', '--replicas=2']), /scaled/)
    assert.match(await run(['scale', 'machine/scaled', '--replicas=3']), /spec\.replicas: Forbidden: 3 replicas are more than 2/)
    assert.match(await run(['patch', 'machine/scaled', '--subresource=status', '--type=merge', '-p', '{"status":{"size":2}}']), /patched/)
  })

  test('added later do not reject unchanged invalid fields', async () => {
    await apply('older', { replicas: 9, disks: [] })
    const strict = { rule: 'self.replicas < 5', message: 'at most four' }
    const patch = [
      {
        op: 'add',
        path: '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/replicas/x-kubernetes-validations',
        value: [{ ...strict, rule: 'self < 5' }],
      },
    ]
    assert.match(await run(['patch', 'crd/machines.rules.example.com', '--type=json', '-p', JSON.stringify(patch)]), /patched/)
    assert.match(await apply('new', { replicas: 9 }), /spec\.replicas: Invalid value: "integer": at most four/)
    const changed = await apply('older', { replicas: 9, name: 'x' })
    assert.match(changed, /Warning: spec\.replicas: Invalid value: "integer": at most four/)
    assert.match(changed, /configured/)
  })
})
