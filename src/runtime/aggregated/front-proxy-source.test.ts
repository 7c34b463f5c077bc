import assert from 'node:assert/strict'
import test from 'node:test'
import { configMaps } from '#api/core/v1/resources.ts'
import { FakeApi } from '../cache/fake-api.fixture.ts'
import { silentLogger } from '../process/log.ts'
import { createVirtualClock } from '../clock/virtual-clock.ts'
import type { FrontProxy } from './front-proxy.ts'
import { createFrontProxySource } from './front-proxy-source.ts'

const metadata = { namespace: 'kube-system', name: 'extension-apiserver-authentication' }
const trusting = (authority: string) => ({
  metadata,
  data: { 'requestheader-client-ca-file': authority, 'requestheader-username-headers': '["X-Remote-User"]' },
})

test('createFrontProxySource() follows the trusted authority, and trusts none by default', async () => {
  const api = new FakeApi()
  const clock = createVirtualClock()
  const stop = new AbortController()
  const authorities: (string | undefined)[] = []
  const onChange = ({ authority }: FrontProxy): void => void authorities.push(authority)
  const source = createFrontProxySource({ client: api, clock, log: silentLogger, onChange })
  const running = source.run(stop.signal)
  assert.equal(source.current().authority, undefined)
  await clock.settle()
  await source.synced(stop.signal)
  assert.equal(source.current().authority, undefined)

  await api.create(configMaps, trusting('first'))
  await clock.settle()
  assert.equal(source.current().authority, 'first')
  assert.deepEqual(source.current().userHeaders, ['x-remote-user'])

  await api.update(configMaps, trusting('second'))
  await clock.settle()
  await api.update(configMaps, { metadata, data: {} })
  await clock.settle()
  await api.update(configMaps, trusting('third'))
  await clock.settle()
  await api.delete(configMaps, metadata)
  await clock.settle()
  assert.deepEqual(authorities, ['first', 'second', undefined, 'third', undefined])
  stop.abort()
  await running
})
