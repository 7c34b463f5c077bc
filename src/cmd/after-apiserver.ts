import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'

// Preloaded before a component: waits until the API server of its --kubeconfig accepts connections,
// or for a few seconds, after which the component reports the error. On a machine with few cores
// the API server starts twice as fast.
const PATIENCE_MS = 5_000
const INTERVAL_MS = 10

const address = await findAddress()
const deadline = performance.now() + PATIENCE_MS
while (address !== undefined && performance.now() < deadline && !(await takesConnections(address))) {
  await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS))
}

async function findAddress(): Promise<URL | undefined> {
  const path = process.argv.find((word) => word.startsWith('--kubeconfig='))?.slice('--kubeconfig='.length)
  try {
    const config = JSON.parse(await readFile(path ?? '', 'utf8')) as { clusters?: { cluster?: { server?: string } }[] }
    return new URL(config.clusters?.[0]?.cluster?.server ?? '')
  } catch {
    // Not our kubeconfig format: the component reads it or reports the error.
    return undefined
  }
}

function takesConnections({ hostname, port }: URL): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port) })
    socket.once('connect', () => resolve(true))
    socket.once('error', () => resolve(false))
    socket.once('close', () => socket.destroy())
    socket.once('connect', () => socket.destroy())
  })
}
