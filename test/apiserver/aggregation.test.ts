import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { type AggregationTest, startAggregationTest } from '#apiserver/aggregation/aggregation.fixture.ts'
import { type ExtensionServer, startExtensionServer } from '#apiserver/aggregation/extension-server.fixture.ts'
import { type CommandResult, kubectlsUnderTest, noKubectl, runCommand } from '../support/kubectl.ts'

// A foreign API server behind ours, seen through kubectl.
suite('an aggregated API through kubectl', { skip: noKubectl }, () => {
  let environment: AggregationTest
  let extension: ExtensionServer
  let kubeconfig: string
  const start = (port = 0) =>
    startExtensionServer({ certificate: environment.certificate, requestHeaderCa: environment.requestHeader.cert, port })

  before(async () => {
    environment = await startAggregationTest({ tokens: [{ token: 'bob-token', username: 'bob', groups: [] }] })
    extension = await start()
    await environment.expose(extension.port)
    await environment.register()
    const base64 = (text: string): string => Buffer.from(text).toString('base64')
    const { api } = environment
    kubeconfig = join(api.directory, 'kubeconfig')
    const users = [
      { name: 'admin', user: { 'client-certificate-data': base64(api.admin.cert), 'client-key-data': base64(api.admin.key) } },
      { name: 'bob', user: { token: 'bob-token' } },
    ]
    await writeFile(
      kubeconfig,
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        'current-context': 'admin',
        contexts: users.map(({ name }) => ({ name, context: { cluster: 'test', user: name, namespace: 'dev' } })),
        clusters: [{ name: 'test', cluster: { server: api.server.url, 'certificate-authority-data': base64(api.authority.cert) } }],
        users,
      }),
    )
  })
  after(async () => {
    await environment[Symbol.asyncDispose]()
    await extension[Symbol.asyncDispose]()
  })

  for (const { path, version } of kubectlsUnderTest()) {
    suite(version, { concurrency: false }, () => {
      let runs = 0
      /** Runs a command with an empty discovery cache: caching is tested elsewhere. */
      const kubectl = (command: string): Promise<CommandResult> => {
        runs += 1
        const cache = join(environment.api.directory, `cache-${version}-${runs}`)
        return runCommand(path, ['--kubeconfig', kubeconfig, '--cache-dir', cache, ...command.split(' ')], { timeoutMs: 60_000 })
      }
      const succeeds = async (command: string): Promise<string> => {
        const { code, stdout, stderr } = await kubectl(command)
        assert.equal(code, 0, `kubectl ${command}: ${stdout}${stderr}`)
        return stdout
      }
      const fails = async (command: string): Promise<CommandResult> => {
        const result = await kubectl(command)
        assert.notEqual(result.code, 0, `kubectl ${command}: ${result.stdout}${result.stderr}`)
        return result
      }

      test('becomes available and is listed', async () => {
        await succeeds('wait apiservice v1.example.test --for=condition=Available --timeout=30s')
        const listed = await succeeds('get apiservices')
        assert.match(listed, /^NAME +SERVICE +AVAILABLE +AGE$/m)
        assert.match(listed, /^v1\. +Local +True +/m)
        assert.match(listed, /^v1\.example\.test +dev\/extension +True +/m)
        assert.match(await succeeds('api-resources'), /^flunders +fl +example\.test\/v1 +true +Flunder$/m)
        assert.match(await succeeds('api-versions'), /^example\.test\/v1$/m)
      })

      test('supports the kubectl verbs of built-in APIs', async () => {
        assert.equal(await succeeds('get flunders -o name'), 'flunder.example.test/one\n')
        assert.match(await succeeds('get fl one'), /^one +/m)
        assert.match(await succeeds('get --raw /apis/example.test/v1/namespaces/dev/flunders'), /"kind":"FlunderList"/)
        assert.match(await succeeds('get --raw /openapi/v3/apis/example.test/v1'), /"title":"extension"/)
        assert.match(await succeeds('explain flunders.size'), /How large\./)
        const swagger = JSON.parse(await succeeds('get --raw /openapi/v2')) as { definitions: object }
        assert.ok(Object.hasOwn(swagger.definitions, 'test.example.v1.Flunder'))
        const missing = await fails('get flunder two')
        assert.match(missing.stderr, /no such flunder/)
        const refused = await fails('--context=bob get flunders')
        assert.match(refused.stderr, /flunders\.example\.test is forbidden: User "bob" cannot list resource "flunders"/)
        assert.match(await succeeds('get flunders -o name --as=carol --as-group=system:masters'), /one/)
        assert.equal(extension.received.at(-1)?.headers['x-remote-user'], 'carol')
      })

      test('does not affect other APIs while it is unavailable, and recovers', async () => {
        const { port } = extension
        await extension[Symbol.asyncDispose]()
        await fails('get --raw /apis/example.test/v1/namespaces/dev/flunders')
        await succeeds('wait apiservice v1.example.test --for=condition=Available=False --timeout=30s')
        assert.match(await succeeds('get apiservices'), /^v1\.example\.test +dev\/extension +False \(FailedDiscoveryCheck\) +/m)
        const { stdout } = await kubectl('api-resources')
        assert.match(stdout, /^deployments +deploy +apps\/v1 +true +Deployment$/m)
        await succeeds('get pods,deployments')
        const gone = await fails('get --raw /apis/example.test/v1/namespaces/dev/flunders')
        assert.match(gone.stderr, /the server is currently unable to handle the request/)
        extension = await start(port)
        await succeeds('wait apiservice v1.example.test --for=condition=Available --timeout=30s')
        assert.equal(await succeeds('get flunders -o name'), 'flunder.example.test/one\n')
      })
    })
  }
})
