import { startTestApi } from '../support/api-server.ts'

// An API server as a program of its own, so that a test sees it crash, hang or grow. It answers
// what it is asked over its channel.
const {
  kubeconfig,
  api,
  [Symbol.asyncDispose]: stop,
} = await startTestApi({ tokens: [{ token: 'nobody-token', username: 'nobody', groups: [] }] })
process.on('message', (message: string) => {
  if (message === 'memory') {
    const { gc } = globalThis
    if (gc !== undefined) gc()
    const { heapUsed, external, rss } = process.memoryUsage()
    process.send?.({ heapUsed, external, rss })
  } else if (message === 'stop') {
    void stop().then(() => process.disconnect?.())
  }
})
process.send?.({ kubeconfig, port: api.server.port })
