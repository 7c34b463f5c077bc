import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Folders in which daemons are, and which the PATH of some users lacks. */
const moreFolders = ['/usr/bin', '/usr/sbin'] as const

/** How to get what is missing, on one line. */
export const prometheusMissing =
  'there is no program "prometheus" in PATH: "apt-get install --no-install-recommends prometheus" brings it on Debian, and "systemctl disable --now prometheus" ends the server that this package starts'

/** Returns the path of Prometheus; undefined if it is not installed. */
export function findPrometheus(path: string | undefined): string | undefined {
  const folders = [...(path ?? '').split(delimiter).filter((folder) => folder !== ''), ...moreFolders]
  return folders.map((folder) => join(folder, 'prometheus')).find(isProgram)
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
