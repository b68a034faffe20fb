import type { AnyCommand } from '../cli/command.ts'

/** A command that is loaded only when it is named; help lists it by its summary alone. */
export interface Entry {
  summary: string
  load: () => Promise<{ default: AnyCommand }>
  hidden?: boolean
}

export interface Noun {
  summary: string
  verbs: Record<string, Entry>
}

export const nouns: Record<string, Noun> = {
  mission: {
    summary: 'Start, list, resume and end missions',
    verbs: {
      new: { summary: 'Start a mission on a repo', load: () => import('./mission/new.ts') },
      ls: { summary: 'List missions', load: () => import('./mission/ls.ts') },
      show: { summary: 'Show one mission in full', load: () => import('./mission/show.ts') },
      resume: { summary: 'Go on with a mission', load: () => import('./mission/resume.ts') },
      fork: {
        summary: 'Branch off a mission with its conversation',
        load: () => import('./mission/fork.ts'),
      },
      stop: { summary: 'End missions', load: () => import('./mission/stop.ts') },
      set: { summary: 'Change how a mission asks and answers', load: () => import('./mission/set.ts') },
      answer: {
        summary: 'Answer a permission request from here',
        load: () => import('./mission/answer.ts'),
      },
      plan: { summary: "Print a mission's latest plan", load: () => import('./mission/plan.ts') },
      rename: { summary: 'Give a mission a name', load: () => import('./mission/rename.ts') },
      archive: { summary: 'Put missions away', load: () => import('./mission/archive.ts') },
      unarchive: { summary: 'Bring archived missions back', load: () => import('./mission/unarchive.ts') },
      rm: { summary: 'Delete missions and their files', load: () => import('./mission/rm.ts') },
      open: { summary: "Open the editor at a mission's directory", load: () => import('./mission/open.ts') },
      focus: { summary: 'Bring a mission to the front', load: () => import('./mission/focus.ts') },
      'close-editor': {
        summary: 'Ask the window that shows a mission to close',
        load: () => import('./mission/close-editor.ts'),
      },
      '_run-wrapper': {
        summary: 'Run one mission',
        load: () => import('./mission/run-wrapper.ts'),
        hidden: true,
      },
      _reap: {
        summary: 'End what a killed wrapper left',
        load: () => import('./mission/reap.ts'),
        hidden: true,
      },
    },
  },
  tmux: {
    summary: 'The agenc session: a window a mission',
    verbs: {
      attach: { summary: 'Go to the agenc session', load: () => import('./tmux/attach.ts') },
      detach: { summary: 'Leave it; everything goes on', load: () => import('./tmux/detach.ts') },
      switch: { summary: 'Pick a mission and go there', load: () => import('./tmux/switch.ts') },
      next: { summary: 'Go to the mission that has waited longest', load: () => import('./tmux/next.ts') },
      restore: { summary: 'Bring back what went down', load: () => import('./tmux/restore.ts') },
      'inject-config': {
        summary: 'Bind keys and set looks again',
        load: () => import('./tmux/inject-config.ts'),
      },
      kill: { summary: 'Stop its missions and end the session', load: () => import('./tmux/kill.ts') },
    },
  },
  repo: {
    summary: 'The library of repos that missions are copied from',
    verbs: {
      add: { summary: 'Clone a repo into the library', load: () => import('./repo/add.ts') },
      ls: { summary: 'List the library', load: () => import('./repo/ls.ts') },
      update: { summary: 'Fetch what is new', load: () => import('./repo/update.ts') },
      trust: {
        summary: 'Say whether Claude may work in a repo unasked',
        load: () => import('./repo/trust.ts'),
      },
      rm: { summary: 'Remove a repo from the library', load: () => import('./repo/rm.ts') },
    },
  },
  approvals: {
    summary: 'Permission requests, their answers, and your rules',
    verbs: {
      ls: { summary: 'List permission requests and their answers', load: () => import('./approvals/ls.ts') },
      test: {
        summary: 'Show what your rules would do with a command',
        load: () => import('./approvals/test.ts'),
      },
    },
  },
  editor: {
    summary: 'Editors, and tasks for them',
    verbs: {
      ls: { summary: 'List the known editors', load: () => import('./editor/ls.ts') },
      tasks: { summary: 'Write tasks for Zed and VS Code', load: () => import('./editor/tasks.ts') },
    },
  },
  config: {
    summary: 'Settings',
    verbs: {
      ls: { summary: 'List all settings', load: () => import('./config/ls.ts') },
      get: { summary: 'Print one setting', load: () => import('./config/get.ts') },
      set: { summary: 'Change one setting', load: () => import('./config/set.ts') },
      unset: { summary: 'Go back to the default', load: () => import('./config/unset.ts') },
      edit: { summary: 'Edit the settings file', load: () => import('./config/edit.ts') },
      path: { summary: 'Print where the settings file is', load: () => import('./config/path.ts') },
    },
  },
  completion: {
    summary: 'Completion for bash, zsh and fish',
    verbs: {
      install: { summary: 'Put it where your shell looks', load: () => import('./completion/install.ts') },
      bash: { summary: 'Print the script for bash', load: () => import('./completion/bash.ts') },
      zsh: { summary: 'Print the script for zsh', load: () => import('./completion/zsh.ts') },
      fish: { summary: 'Print the script for fish', load: () => import('./completion/fish.ts') },
    },
  },
}

/** Commands that need no noun. */
export const topLevel: Record<string, Entry> = {
  setup: { summary: 'Choose editor, keys, modes and a first repo', load: () => import('./setup.ts') },
  demo: { summary: 'Try everything without an account', load: () => import('./demo.ts') },
  doctor: { summary: 'Find out what is wrong, and how to mend it', load: () => import('./doctor.ts') },
  hold: { summary: 'Pause automatic approvals', load: () => import('./hold.ts') },
  status: { summary: 'Show missions and the windows that show them', load: () => import('./status.ts') },
}
