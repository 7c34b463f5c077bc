import { readdir, readFile, readlink } from 'node:fs/promises'

/** States of a connection in /proc/net/tcp: ESTABLISHED and SYN_SENT. */
const openStates: ReadonlySet<string> = new Set(['01', '02'])

/** Reports whether a process has a TCP connection to a port, or is about to open one. */
export async function hasConnectionTo(pid: number, port: number): Promise<boolean> {
  const own = await socketsOf(pid)
  const tables = await Promise.all(['tcp', 'tcp6'].map((table) => readFile(`/proc/${pid}/net/${table}`, 'utf8').catch(() => '')))
  const remotePort = port.toString(16).toUpperCase().padStart(4, '0')
  return tables
    .flatMap((table) => table.trim().split('\n').slice(1))
    .some((line) => {
      const [, , remote = '', state = '', , , , , , inode = ''] = line.trim().split(/\s+/)
      return remote.endsWith(`:${remotePort}`) && openStates.has(state) && own.has(inode)
    })
}

/** Returns the inodes of a process's sockets. */
async function socketsOf(pid: number): Promise<ReadonlySet<string>> {
  const folder = `/proc/${pid}/fd`
  // A descriptor may be closed meanwhile.
  const targets = await Promise.all((await readdir(folder)).map((fd) => readlink(`${folder}/${fd}`).catch(() => '')))
  return new Set(targets.flatMap((target) => /^socket:\[(\d+)\]$/.exec(target)?.[1] ?? []))
}
