import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from './icons.js';

interface ButtonProps {
  readonly icon?: IconName;
  readonly kind?: 'primary' | 'danger' | 'plain';
  readonly type?: 'button' | 'submit';
  readonly disabled?: boolean;
  readonly title?: string;
  readonly class?: string;
  readonly pressed?: boolean;
  readonly children?: ComponentChildren;
  onClick?(event: MouseEvent): void;
}

export const Button = ({
  icon,
  kind = 'plain',
  type = 'button',
  pressed,
  ...rest
}: ButtonProps) => (
  <button
    {...rest}
    type={type}
    aria-pressed={pressed}
    class={`button ${kind === 'plain' ? '' : kind} ${rest.class ?? ''}`}
  >
    {icon && <Icon name={icon} />}
    {rest.children}
  </button>
);

interface IconButtonProps {
  readonly icon: IconName;
  /** Said by screen readers, and shown when the pointer rests on it. */
  readonly label: string;
  readonly disabled?: boolean;
  readonly expanded?: boolean;
  onClick(): void;
}

export const IconButton = ({ icon, label, disabled, expanded, onClick }: IconButtonProps) => (
  <button
    {...{ type: 'button', class: 'icon-button', title: label, disabled, onClick }}
    aria-label={label}
    aria-expanded={expanded}
  >
    <Icon name={icon} />
  </button>
);
