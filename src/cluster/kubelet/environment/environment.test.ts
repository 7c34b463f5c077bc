import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Container } from '#api/core/v1/container.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { containerCommand, workingDirectoryOf } from '../container/command.ts'
import { type ConfigurationSource, ContainerConfigError } from './configuration-source.ts'
import { containerEnvironment } from './environment.ts'
import { resourceFieldValue } from './resource-field.ts'
import { expandVariables } from './expansion.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const source: ConfigurationSource = {
  configMap: (_namespace, name) => Promise.resolve(name === 'cm' ? new Map([['a', bytes('1')]]) : undefined),
  secret: (_namespace, name) => Promise.resolve(name === 'secret' ? new Map([['token', bytes('s3cret')]]) : undefined),
  claim: () => Promise.resolve(undefined),
}
const pod: Pod = { metadata: { name: 'p', namespace: 'ns', uid: 'u', labels: { app: 'web' } }, spec: { containers: [] } }

function environmentOf(container: Omit<Container, 'name'>): Promise<Readonly<Record<string, string>>> {
  const node = { nodeName: 'n1', hostIP: '127.0.0.1', cpu: '2', memory: '4Gi' }
  return containerEnvironment({
    pod,
    container: { name: 'main', ...container },
    podDirectory: '/pods/u',
    node,
    base: { PATH: '/bin' },
    source,
  })
}

suite('containerEnvironment()', () => {
  test("contains the variables of every container, and none of the kubelet's process", async () => {
    assert.deepEqual(await environmentOf({}), {
      PATH: '/bin',
      HOSTNAME: 'p',
      POD_DIR: '/pods/u',
      POD_UID: 'u',
      POD_NAME: 'p',
      POD_NAMESPACE: 'ns',
      POD_IP: '127.0.0.1',
      NODE_NAME: 'n1',
    })
  })

  test('reads values from fields, ConfigMaps and Secrets', async () => {
    const found = await environmentOf({
      envFrom: [{ prefix: 'CM_', configMapRef: { name: 'cm' } }, { secretRef: { name: 'absent', optional: true } }],
      env: [
        { name: 'APP', valueFrom: { fieldRef: { fieldPath: "metadata.labels['app']" } } },
        { name: 'TOKEN', valueFrom: { secretKeyRef: { name: 'secret', key: 'token' } } },
        { name: 'NONE', valueFrom: { configMapKeyRef: { name: 'cm', key: 'none', optional: true } } },
        { name: 'BOTH', value: '$(APP)-$(CM_a)-$(UNKNOWN)-$$(APP)' },
      ],
    })
    assert.deepEqual(
      [found['CM_a'], found['APP'], found['TOKEN'], found['NONE'], found['BOTH']],
      ['1', 'web', 's3cret', undefined, 'web-1-$(UNKNOWN)-$(APP)'],
    )
  })

  for (const container of [
    { envFrom: [{ configMapRef: { name: 'absent' } }] },
    { env: [{ name: 'X', valueFrom: { secretKeyRef: { name: 'secret', key: 'absent' } } }] },
    { env: [{ name: 'X', valueFrom: { fieldRef: { fieldPath: 'spec.containers' } } }] },
    { env: [{ name: 'X', valueFrom: { resourceFieldRef: { resource: 'usage.cpu' } } }] },
  ]) {
    test(`refuses ${JSON.stringify(container)}`, () => assert.rejects(environmentOf(container), ContainerConfigError))
  }
})

suite('resourceFieldValue()', () => {
  const node = { cpu: '2', memory: '4Gi' }
  const container = { name: 'm', resources: { limits: { memory: '100Mi' }, requests: { cpu: '250m' } } }
  for (const [resource, divisor, value] of [
    ['limits.memory', undefined, '104857600'],
    ['limits.memory', '1Mi', '100'],
    ['limits.memory', '64Mi', '2'],
    ['requests.cpu', undefined, '1'],
    ['requests.cpu', '1m', '250'],
    ['limits.cpu', undefined, '2'],
    ['requests.memory', undefined, '0'],
    ['status.cpu', undefined, undefined],
  ] as const) {
    test(`${resource} in ${divisor ?? '1'} is ${value}`, () =>
      assert.equal(resourceFieldValue(container, { resource, ...(divisor === undefined ? {} : { divisor }) }, node), value))
  }
})

suite('containerCommand()', () => {
  const image = { rootDirectory: '/image', entrypoint: ['/bin/app', '--flag'] }
  test('is the entry point with the arguments', () =>
    assert.deepEqual(containerCommand({ name: 'm', args: ['$(A)'] }, image, { A: '1' }), ['/bin/app', '--flag', '1']))
  test('is the command of the container in place of the entry point', () =>
    assert.deepEqual(containerCommand({ name: 'm', command: ['x'], args: ['y'] }, image, {}), ['x', 'y']))
  test('must not be empty', () =>
    assert.throws(() => containerCommand({ name: 'm' }, { ...image, entrypoint: [] }, {}), ContainerConfigError))
  test("runs in the image's directory unless workingDir is set", () =>
    assert.deepEqual(
      [{}, { workingDir: 'sub' }, { workingDir: '/abs' }].map((one) => workingDirectoryOf({ name: 'm', ...one }, image)),
      ['/image', '/image/sub', '/abs'],
    ))
})

suite('expandVariables()', () => {
  test('reads $$ as an escape', () => assert.equal(expandVariables('$$(A) $(A) $A $(', { A: '1' }), '$(A) 1 $A $('))
})
