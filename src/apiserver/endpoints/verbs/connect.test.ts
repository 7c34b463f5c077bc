import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { forbidden } from '#apimachinery/errors.ts'
import type { ConnectRequest } from '#apiserver/admission/chain.ts'
import { findPod } from '#apiserver/streaming/find-pod.ts'
import { parseRequestInfo } from '#apiserver/request/request-info.ts'
import { startTestServer } from '#apiserver/api-server.fixture.ts'
import { builtinDefinitions } from '#apiserver/builtin/builtin-definitions.ts'
import type { UpgradeCall } from '#apiserver/front/upgrade/upgrade-handler.ts'
import { connectTo } from '#apiserver/http/http2-client.fixture.ts'

suite('connect()', () => {
  test('passes the options through admission and returns the pod', async () => {
    const seen: ConnectRequest[] = []
    const plugin = {
      name: 'Guard',
      connect(request: ConnectRequest): void {
        seen.push(request)
        if (request.target.subresource === 'attach') throw forbidden({ group: '', plural: 'pods' }, request.target.name, 'not so')
      },
    }
    await using server = await startTestServer({ definitions: builtinDefinitions(), admission: () => [plugin] })
    using client = connectTo(server)
    const headers = { 'content-type': 'application/json' }
    const meta = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } }
    await client.request('POST', '/api/v1/namespaces', { headers, body: meta })
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec: { containers: [{ name: 'main', image: 'x' }] } }
    const made = await client.request('POST', '/api/v1/namespaces/default/pods', { headers, body: pod })
    assert.equal(made.status, 201, made.text)

    const find = (path: string, query: string): ReturnType<typeof findPod> => {
      const search = new URLSearchParams(query)
      const info = parseRequestInfo('GET', `/api/v1/namespaces/default/pods/${path}`, search)
      const user = { username: 'bob', groups: [] }
      return findPod(server, { info, query: search, user, signal: new AbortController().signal } as unknown as UpgradeCall)
    }
    assert.equal((await find('a/exec', 'command=ls&command=-l&stdin=true&container=main')).metadata.name, 'a')
    assert.deepEqual(seen[0]?.options, {
      apiVersion: 'v1',
      kind: 'PodExecOptions',
      stdin: true,
      container: 'main',
      command: ['ls', '-l'],
    })
    await assert.rejects(find('a/attach', ''), /pods "a" is forbidden: not so/)
    await assert.rejects(find('b/exec', 'command=ls'), /pods "b" not found/)
  })
})
