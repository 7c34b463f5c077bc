import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Connection, createConnection, type Credentials } from './connection.ts'

/** Memory of the server after a collection, in bytes. */
export interface ServerMemory {
  readonly heapUsed: number
  readonly external: number
  readonly rss: number
}

/** An API server in a separate process. */
export interface HostileServer extends AsyncDisposable {
  readonly port: number
  /** Credentials of an administrator. */
  readonly credentials: Credentials
  readonly connection: Connection
  readonly isAlive: boolean
  memory(): Promise<ServerMemory>
}

/** Starts a server. */
export async function startHostileServer(): Promise<HostileServer> {
  const child = fork(join(import.meta.dirname, 'server.ts'), { execArgv: ['--expose-gc'], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const [{ kubeconfig, port }] = (await once(child, 'message')) as [{ kubeconfig: string; port: number }]
  const { clusters, users } = JSON.parse(await readFile(kubeconfig, 'utf8')) as {
    clusters: { cluster: Record<string, string> }[]
    users: { user: Record<string, string> }[]
  }
  const text = (base64: string = ''): string => Buffer.from(base64, 'base64').toString()
  const credentials = {
    ca: text(clusters[0]?.cluster['certificate-authority-data']),
    cert: text(users[0]?.user['client-certificate-data']),
    key: text(users[0]?.user['client-key-data']),
  }
  const connection = createConnection(port, credentials)
  const isAlive = (): boolean => child.exitCode === null && child.signalCode === null
  return {
    port,
    credentials,
    connection,
    get isAlive() {
      return isAlive()
    },
    async memory() {
      child.send('memory')
      const [answer] = (await once(child, 'message')) as [ServerMemory]
      return answer
    },
    async [Symbol.asyncDispose]() {
      connection[Symbol.dispose]()
      if (!isAlive()) return
      child.send('stop')
      await once(child, 'exit')
    },
  }
}
