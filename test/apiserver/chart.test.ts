import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { ApiException, CustomObjectsApi, KubeConfig } from '@kubernetes/client-node'
import { badRequest } from '#apimachinery/errors.ts'
import { createTestAuthority } from '#apiserver/http/tls.fixture.ts'
import { silentLogger } from '#runtime/process/log.ts'
import { type AdmissionServer, startAdmissionServer } from '#runtime/webhook/admission-server.ts'
import { createChart, type Release } from '../support/chart.ts'
import { findOnPath, runCommand } from '../support/kubectl.ts'
import { startTestApi, type TestApi } from '../support/api-server.ts'

const folder = join(import.meta.dirname, 'chart')
const helm = findOnPath('helm')

interface Gizmo {
  readonly metadata: { readonly name: string }
  readonly spec: { readonly size: number; readonly color?: string }
}

// A chart as operators ship it: a definition, its webhooks, access rules, a deployment and a first
// object that the webhooks must let through.
suite('a chart with definitions and webhooks', () => {
  let server: TestApi
  let webhook: AdmissionServer
  let ca: string
  const config = new KubeConfig()

  before(async () => {
    server = await startTestApi()
    config.loadFromFile(server.kubeconfig)
    const authority = await createTestAuthority()
    const { cert, key } = await authority.issue('webhook', [], true)
    ca = Buffer.from(authority.cert).toString('base64')
    webhook = await startAdmissionServer({
      host: '127.0.0.1',
      port: 0,
      tls: { certificate: cert, key },
      log: silentLogger,
      handlers: {
        '/mutate': async ({ object }) => {
          const colored = (object as Gizmo).spec.color !== undefined
          return { allowed: true, ...(colored ? {} : { patch: [{ op: 'add', path: '/spec/color', value: 'grey' }] }) }
        },
        '/validate': async ({ object }) => {
          const { size } = (object as Gizmo).spec
          if (size > 5) throw badRequest(`size ${size} is more than 5`)
          return { allowed: true }
        },
      },
    })
  })
  after(async () => {
    await webhook[Symbol.asyncDispose]()
    await server[Symbol.asyncDispose]()
  })

  const gizmos = (release: Release) => ({ group: 'chart.example', version: 'v1', namespace: release.namespace, plural: 'gizmos' })
  const sample = async (release: Release): Promise<Gizmo['spec']> => {
    const api = config.makeApiClient(CustomObjectsApi)
    return ((await api.getNamespacedCustomObject({ ...gizmos(release), name: `${release.name}-sample` })) as Gizmo).spec
  }
  const refusesLarge = (release: Release): Promise<void> => {
    const api = config.makeApiClient(CustomObjectsApi)
    const body = { apiVersion: 'chart.example/v1', kind: 'Gizmo', metadata: { name: 'large' }, spec: { size: 6 } }
    return assert.rejects(api.createNamespacedCustomObject({ ...gizmos(release), body }), (error) => {
      assert.ok(error instanceof ApiException)
      const { message } = JSON.parse(String(error.body)) as { message: string }
      assert.equal(message, 'admission webhook "checks.chart.example" denied the request: size 6 is more than 5')
      return error.code === 400
    })
  }
  const releaseOf = (name: string, size: number): Release => ({
    name,
    namespace: 'default',
    values: { 'webhook.url': `https://127.0.0.1:${webhook.port}`, 'webhook.caBundle': ca, replicas: 0, size },
  })

  test("is installed, upgraded and uninstalled with Helm's requests", async () => {
    const chart = createChart(config, folder)
    const release = releaseOf('first', 2)
    await chart.install(release)
    assert.deepEqual(await sample(release), { size: 2, color: 'grey' })
    await refusesLarge(release)

    await chart.upgrade(releaseOf('first', 4), 2)
    assert.deepEqual(await sample(release), { size: 4, color: 'grey' })
    await assert.rejects(chart.upgrade(releaseOf('first', 9), 3), ApiException)

    await chart.uninstall(release)
    assert.deepEqual(await chart.remaining(release), [])
  })

  test(
    'is installed, upgraded, rolled back and uninstalled by Helm',
    { skip: helm === undefined ? 'no helm on PATH' : false },
    async () => {
      const release = releaseOf('second', 2)
      const settings = ({ values }: Release): string[] => Object.entries(values).flatMap(([path, value]) => ['--set', `${path}=${value}`])
      const run = async (...args: string[]): Promise<string> => {
        const env = { ...process.env, KUBECONFIG: server.kubeconfig, HELM_CACHE_HOME: server.directory, HELM_CONFIG_HOME: server.directory }
        const { code, stdout, stderr } = await runCommand(helm ?? '', args, { env })
        assert.equal(code, 0, `helm ${args.join(' ')}: ${stdout}${stderr}`)
        return stdout
      }
      await run('install', 'second', folder, ...settings(release))
      // Helm sorts kinds that it does not know by name, and so makes the Gizmo before the webhooks
      // of this version of Helm.
      assert.equal((await sample(release)).size, 2)
      await refusesLarge(release)
      await run('upgrade', 'second', folder, ...settings(releaseOf('second', 4)))
      assert.deepEqual(await sample(release), { size: 4, color: 'grey' })
      await run('rollback', 'second', '1')
      assert.equal((await sample(release)).size, 2)
      assert.match(await run('history', 'second'), /Rollback to 1/)
      assert.match(await run('list'), /second/)
      await run('uninstall', 'second')
      assert.deepEqual(await createChart(config, folder).remaining(release), [])
    },
  )
})
