// Buttons: one primary action a view, plain ones beside it, and icons that always carry a name.
import type { ButtonHTMLAttributes, Ref } from 'react';
import { Icon, type IconName } from './Icon.tsx';
import './button.css';

type Rest = Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'className'> & { ref?: Ref<HTMLButtonElement> };

export function Button({ look = 'plain', ...rest }: Rest & { look?: 'plain' | 'primary' | 'danger' | 'quiet' }) {
  return <button type="button" className={`button ${look}`} {...rest} />;
}

export function IconButton({
  icon,
  label,
  keys,
  size = 16,
  ...rest
}: Rest & { icon: IconName; label: string; keys?: string; size?: number }) {
  return (
    <button
      type="button"
      className="icon-button"
      aria-label={label}
      title={keys === undefined ? label : `${label} (${keys})`}
      {...rest}
    >
      <Icon name={icon} size={size} />
    </button>
  );
}
