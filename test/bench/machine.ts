import { spawnSync } from 'node:child_process'
import { cpus, loadavg, release, totalmem, type } from 'node:os'
import { version } from '../../src/version.ts'

export interface Machine {
  agenc: string
  cpu: string
  cores: number
  memoryGiB: number
  system: string
  node: string
  tmux: string
  fzf: string
  git: string
  /** The load average over one minute at the start of the run. */
  load: number
  date: string
}

export function describeMachine(now: Date): Machine {
  const processors = cpus()
  return {
    agenc: version,
    cpu: processors[0]?.model.trim() ?? 'unknown',
    cores: processors.length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${release()}`,
    node: process.versions.node,
    tmux: firstNumber('tmux', '-V'),
    fzf: firstNumber('fzf', '--version'),
    git: firstNumber('git', '--version'),
    load: Math.round(loadavg()[0]! * 10) / 10,
    date: now.toISOString().slice(0, 10),
  }
}

function firstNumber(program: string, flag: string): string {
  const { stdout } = spawnSync(program, [flag], { encoding: 'utf8' })
  return /\d[\w.-]*/.exec(stdout ?? '')?.[0] ?? 'not installed'
}

export function machineLines(machine: Machine): string[] {
  const { cpu, cores, memoryGiB, system, load } = machine
  return [
    `${cpu}, ${cores} cores, ${memoryGiB} GiB, ${system}, load ${load} at the start`,
    `agenc ${machine.agenc}, Node ${machine.node}, tmux ${machine.tmux}, fzf ${machine.fzf}, git ${machine.git}`,
  ]
}
